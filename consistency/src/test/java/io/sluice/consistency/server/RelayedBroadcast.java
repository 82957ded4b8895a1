package io.sluice.consistency.server;

import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.seal.FrameSeal;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.consistency.wire.Gaps;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.Inbox;
import io.sluice.messaging.Link;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Budget;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.SingleWriterCounter;
import io.sluice.messaging.outbox.Backlog;
import io.sluice.messaging.outbox.LinkWatch;
import io.sluice.messaging.outbox.NodeBudget;
import io.sluice.messaging.outbox.Pacing;
import io.sluice.tree.BroadcastPlan;
import io.sluice.tree.BroadcastTree;
import io.sluice.tree.FanOut;
import io.sluice.tree.FrameOrder;
import io.sluice.tree.FrameRing;
import io.sluice.tree.Hop;
import io.sluice.tree.OutgoingHops;
import io.sluice.tree.Place;
import io.sluice.tree.RouteTable;
import io.sluice.tree.SiteNetwork;
import io.sluice.tree.TreeRepair;
import io.sluice.tree.planning.TreePlanners;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.agrona.DirectBuffer;

/**
 * Servers that broadcast some versions to workers by the trees of a planner, over UDP, all on one thread: fan-outs,
 * relays, logs, requests and repair are the real ones, but no worker trains. Workers stall, die and join late. Both
 * ends of each link hash all frames.
 */
final class RelayedBroadcast implements AutoCloseable {
    static final int TABLES = 2;
    static final int SLICES = 12;
    static final int TRAINER = 30;
    static final int RELAY = 31;

    private static final int RING = 16 << 10;
    private static final long PATIENCE_NS = TimeUnit.MILLISECONDS.toNanos(30);
    private static final long SILENCE_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final AtomicInteger OWN_STREAMS = new AtomicInteger(10_000);

    final SplittableRandom random;
    final RouteTable routes;
    final int versions;
    final int elements;
    final int longest;
    final BroadcastingRoot[] roots;

    private final ClusterPlan plan;
    private final Transport transport;
    private final int ownStreams;
    private final NodeBudget budget = new NodeBudget(Budget.NONE, Budget.NONE, System::nanoTime);
    private final TreeRepair repair;
    private final OutgoingHops[] rootHops;
    private final ReceivingWorker[] workers;
    private final List<List<Long>> sealed = new ArrayList<>();
    private final List<Link> links = new ArrayList<>();
    private final Map<Integer, LinkTraffic> traffic = new HashMap<>();
    private final Map<String, LinkTraffic> byLabel = new HashMap<>();
    private final Map<Integer, List<LinkTraffic>> ofNode = new HashMap<>();
    private List<BroadcastTree> trees;
    private int late;
    private int skips;

    /**
     * Opens all links, except those to a worker that joins late.
     *
     * @param driver  driver to use
     * @param random  decides everything else
     * @param planner planner of the trees
     * @param joins   whether a worker joins late
     */
    RelayedBroadcast(TestDriver driver, SplittableRandom random, String planner, boolean joins) {
        this.random = random;
        this.transport = driver.connect();
        this.versions = random.nextInt(3, 8);
        this.elements = random.nextInt(50, 400);
        this.longest = Frame.DATA_LENGTH + elements * Float.BYTES;
        int servers = random.nextInt(1, 3);
        ClusterSettings settings = TestCluster.terms()
                .servers(servers)
                .workers(random.nextInt(3, 7))
                .compressor("none")
                .sliceElements(elements)
                .build();
        List<Place> nodes = IntStream.range(0, servers + settings.workers())
                .mapToObj(node -> new Place(node, "h" + node, "h:" + node))
                .toList();
        this.plan = new ClusterPlan(5, 0, settings, nodes);
        long[] bytes = new long[servers];
        Arrays.fill(bytes, (long) TABLES * SLICES * longest);
        this.trees = BroadcastPlan.of(
                TreePlanners.named(planner),
                plan.servers(),
                plan.workers(),
                false,
                bytes,
                longest,
                SiteNetwork.equal(1e9));
        this.routes = new RouteTable(servers, trees, (table, slice) -> (table + slice) % (trees.size() / servers));
        this.repair = new TreeRepair(plan.workers());
        this.late = joins ? servers + random.nextInt(settings.workers()) : -1;
        if (joins) {
            trees = repair.without(trees, late);
        }
        trees.forEach(tree -> sealed.add(new ArrayList<>()));
        this.ownStreams = OWN_STREAMS.getAndAdd(nodes.size());
        this.roots = new BroadcastingRoot[servers];
        this.workers = new ReceivingWorker[settings.workers()];
        Arrays.setAll(workers, worker -> new ReceivingWorker(this, worker));
        this.rootHops = new OutgoingHops[trees.size()];
        for (int server = 0; server < servers; server++) {
            roots[server] = newRoot(server);
        }
        for (ReceivingWorker worker : workers) {
            worker.open(trees);
        }
        if (joins) {
            workers[late - servers].stallTrainer(TimeUnit.DAYS.toMillis(1));
        }
        Deadline.await(
                "all links take frames", () -> links.stream().allMatch(link -> link.isConnected() && link.room() > 0));
    }

    private BroadcastingRoot newRoot(int server) {
        FanOut[] fanOuts = new FanOut[routes.count(server)];
        for (int route = 0; route < fanOuts.length; route++) {
            int tree = routes.tree(server, route);
            List<Hop> hops = trees.get(tree).from(server);
            Link[] links =
                    hops.stream().map(hop -> open(tree, hop, sealed.get(tree))).toArray(Link[]::new);
            rootHops[tree] = new OutgoingHops(hops);
            fanOuts[route] = new FanOut(links, this::watch, false, TABLES * (SLICES + 1), TABLES, longest);
            fanOuts[route].skipStanding(PATIENCE_NS, this::onSkipped);
        }
        SingleWriterCounter resent =
                transport.counters().node("server " + server).counter(CounterType.NODE_FRAMES_RESENT);
        return new BroadcastingRoot(
                this,
                server,
                versions,
                fanOuts,
                newWriter(server),
                log -> new Resends(
                        log,
                        (worker, relay) -> resendLink(workers[worker].inbox(relay), relay),
                        this::pace,
                        System::nanoTime,
                        newWriter(server),
                        workers.length,
                        resent));
    }

    private FrameWriter newWriter(int node) {
        return new FrameWriter(plan, node, null, FrameSeal.checksumOnly());
    }

    /** Sends the requests of a worker's trainer or relay for the frame that is due there. */
    Gaps newGaps(int node, boolean relay, FrameOrder order, Expected expected) {
        SingleWriterCounter asked = transport
                .counters()
                .node("worker " + (node - roots.length))
                .counter(CounterType.NODE_RESENDS_ASKED, relay ? "relay" : "trainer");
        Gaps.Requests requests = new Gaps.Requests(
                newWriter(node),
                server -> transport.openLink("request", transport.channels().ipc(), ownStreams + server),
                asked);
        return Gaps.inBroadcasts(
                new InOrder(order, expected), requests, routes, TABLES, relay, SILENCE_NS, System.nanoTime());
    }

    /** Whether a tree carries slices of a table to a receiver. */
    interface Expected {
        boolean expects(int tree, int table);
    }

    /** The position of the next frame for a receiver. */
    private final class InOrder implements Gaps.Due {
        private final FrameOrder order;
        private final Expected expected;

        InOrder(FrameOrder order, Expected expected) {
            this.order = order;
            this.expected = expected;
        }

        @Override
        public boolean expects(int tree, int table) {
            return expected.expects(tree, table);
        }

        @Override
        public boolean isAwaited(int tree, int table) {
            return expects(tree, table)
                    && clock(tree, table)
                            <= Arrays.stream(roots)
                                    .mapToLong(BroadcastingRoot::versionBroadcast)
                                    .max()
                                    .orElse(-1);
        }

        @Override
        public long clock(int tree, int table) {
            return order.clock(tree, table);
        }

        @Override
        public int sequence(int tree, int table) {
            return order.sequence(tree, table);
        }
    }

    private LinkWatch watch(Link link, Backlog backlog) {
        return new LinkWatch(link, System::nanoTime, null, pace(link), backlog, longest, false);
    }

    Pacing pace(Link link) {
        return budget.pace(link, longest, null);
    }

    FrameRing newRing() {
        FrameRing ring = new FrameRing(new Link[0], this::watch, System::nanoTime, RING);
        ring.skipStanding(PATIENCE_NS, this::onSkipped);
        return ring;
    }

    private void onSkipped(String label) {
        byLabel.get(label).hasGaps();
        skips++;
    }

    /** How often a stalled receiver was skipped. */
    int skips() {
        return skips;
    }

    /** Frames that links without gaps have carried. */
    int frames() {
        return byLabel.values().stream().mapToInt(LinkTraffic::frames).sum();
    }

    boolean isDead(int worker) {
        return workers[worker].isDead();
    }

    /** The frames that a root has broadcast by a tree. */
    List<Long> sealed(int tree) {
        return sealed.get(tree);
    }

    static int table(DirectBuffer frame, int offset) {
        return frame.getShort(offset + Frame.ENVELOPE_END);
    }

    Inbox udpInbox(int stream, FrameHandler handler) {
        return transport.openUdpInbox("test", new Endpoint("127.0.0.1", 0), stream, validator(), handler);
    }

    Inbox ipcInbox(int node, FrameHandler handler) {
        return transport.openIpcInbox("test", ownStreams + node, validator(), handler);
    }

    private static FrameValidator validator() {
        return new FrameValidator(FrameValidator.ANY_CLUSTER, new FrameChecksum());
    }

    /** Opens the link of a hop, which carries the frames of its sender from now on. */
    Link open(int tree, Hop hop, List<Long> had) {
        int to = hop.to().getFirst();
        String label = "tree " + tree + ", node " + hop.from() + " to " + to + " (" + byLabel.size() + ")";
        Inbox inbox = workers[to - roots.length].inbox(trees.get(tree).relays(to));
        boolean relay = trees.get(tree).relays(to);
        Link link = hop.sharedMemory()
                ? transport.openLink(label, transport.channels().ipc(), ownStreams + to)
                : transport.openLink(label, transport.channels().udpTo(inbox.endpoint()), relay ? RELAY : TRAINER);
        links.add(link);
        LinkTraffic its = new LinkTraffic(label, had);
        traffic.put(link.sessionId(), its);
        byLabel.put(link.label(), its);
        ofNode.computeIfAbsent(hop.from(), node -> new ArrayList<>()).add(its);
        ofNode.computeIfAbsent(to, node -> new ArrayList<>()).add(its);
        return link;
    }

    private Link resendLink(Inbox inbox, boolean relay) {
        return transport.openLink("again", transport.channels().udpTo(inbox.endpoint()), relay ? RELAY : TRAINER);
    }

    /** Records a frame that has arrived and was not deferred. */
    void arrived(int session, long hash) {
        LinkTraffic its = traffic.get(session);
        if (null != its) { // otherwise the frame is a repeated one
            its.arrived(hash);
        }
    }

    /** Adds the late worker to the trees: in each tree a node that already sends also sends to it. */
    void join() {
        follow(repair.with(trees, plan.workers().get(late - roots.length)));
        workers[late - roots.length].stallTrainer(0);
        late = -1;
    }

    /** A worker that may die or stall: it is a member, and not the last one. */
    ReceivingWorker anyMember() {
        List<ReceivingWorker> alive = Arrays.stream(workers)
                .filter(worker -> !worker.isDead() && (late < 0 || worker != workers[late - roots.length]))
                .toList();
        return alive.get(random.nextInt(alive.size()));
    }

    long alive() {
        return Arrays.stream(workers).filter(worker -> !worker.isDead()).count();
    }

    /** Removes a dead worker from the trees. */
    void cut(ReceivingWorker dead) {
        int worker = List.of(workers).indexOf(dead);
        int node = roots.length + worker;
        ofNode.getOrDefault(node, List.of()).forEach(LinkTraffic::hasGaps);
        for (BroadcastingRoot root : roots) {
            root.forget(worker);
        }
        follow(repair.without(trees, node));
    }

    private void follow(List<BroadcastTree> now) {
        List<BroadcastTree> before = trees;
        trees = now;
        for (int i = 0; i < trees.size(); i++) {
            int tree = i;
            int root = routes.root(tree);
            FanOut fanOut = roots[root].fanOut(routes.route(tree));
            rootHops[tree].follow(
                    trees.get(tree).from(root), hop -> fanOut.add(open(tree, hop, sealed.get(tree))), fanOut::close);
        }
        for (ReceivingWorker worker : workers) {
            if (!worker.isDead()) {
                worker.follow(before, trees);
            }
        }
    }

    void step() {
        for (BroadcastingRoot root : roots) {
            root.work();
        }
        for (ReceivingWorker worker : workers) {
            worker.work();
        }
    }

    private boolean isDone() {
        return Arrays.stream(roots).allMatch(BroadcastingRoot::isDone)
                && Arrays.stream(workers).allMatch(ReceivingWorker::isDone)
                && byLabel.values().stream().allMatch(LinkTraffic::isDone);
    }

    /**
     * Waits until all workers have all frames, and compares the arrivals with the frames sent, over each link and in
     * the end.
     */
    void finish(String context) {
        Deadline.await("all workers have all frames, " + context, () -> {
            for (int i = 0; i < 50; i++) {
                step();
            }
            return isDone();
        });
        byLabel.values().forEach(its -> its.check(context));
        for (ReceivingWorker worker : workers) {
            if (!worker.isDead()) {
                worker.check(context);
            }
        }
    }

    @Override
    public void close() {
        transport.close();
    }
}
