package io.sluice.consistency.worker;

import io.sluice.codecs.CompressionReport;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.Rejection;
import io.sluice.consistency.feedback.LinkFeedback;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.placement.TableSpec;
import io.sluice.consistency.snapshot.NodeSnapshots;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.Role;
import io.sluice.consistency.terms.SendingMode;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.consistency.wire.Gaps;
import io.sluice.consistency.wire.LiveTrees;
import io.sluice.consistency.wire.Peering;
import io.sluice.consistency.wire.Reception;
import io.sluice.filter.feedback.NetworkFeedback;
import io.sluice.filter.feedback.SettableFeedback;
import io.sluice.filter.policy.FilterPolicy;
import io.sluice.messaging.Transport;
import io.sluice.messaging.bandwidth.DeliveryRate;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.DutyCycle;
import io.sluice.messaging.counters.Tally;
import io.sluice.messaging.outbox.NodeBudget;
import io.sluice.tree.Ways;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.CloseHelper;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/** A worker's connections: the membership, a channel to each server, and the reception of what servers send. */
final class WorkerLinks implements AutoCloseable {
    private static final long NOT_STARTED = -1;

    private final Transport transport;
    private final Membership membership;
    private final WorkerContext context;
    private final ClusterPlan plan;
    private final boolean direct;
    private final FrameWriter writer;

    /** The sending thread's. */
    private final FrameWriter frames;

    /** Null unless the cluster's filter asks for it. */
    private final SettableFeedback measured;

    private LinkFeedback measuring;

    /** Null before links are opened. */
    private PushWays pushes;

    private Reception reception;

    /** For the trainer's thread. */
    private LiveTrees trees;

    /** Null where nothing can be asked for again. */
    private Gaps missing;

    private BroadcastIntake intake;
    private final Peering peering;

    /** Null where this worker passes nothing on. */
    private Relaying relaying;

    private WorkerLinks(Transport transport, Membership membership, WorkerContext context) {
        this.transport = transport;
        this.membership = membership;
        this.context = context;
        this.plan = membership.plan();
        this.peering = new Peering(transport, membership, context.flightBytes());
        this.direct = SendingMode.INVOKER == context.sendingMode(plan.settings())
                && !plan.settings().queues();
        this.measured = context.measuredFeedback(plan.settings());
        this.writer = new FrameWriter(
                plan, membership.node(), null, membership.sealing().newSeal());
        this.frames = new FrameWriter(
                plan,
                membership.node(),
                membership.counters(),
                membership.sealing().newSeal());
    }

    static WorkerLinks join(WorkerContext context) {
        Transport transport = context.connect();
        Membership membership = null;
        try {
            membership = Membership.join(transport, context.joinRequest(Role.WORKER, transport::report));
            context.requireCores(membership.plan().settings(), false);
            WorkerLinks links = new WorkerLinks(transport, membership, context);
            links.requireMemory();
            return links;
        } catch (RuntimeException e) {
            if (null != membership) {
                membership.failed(e);
                membership.leave(NOT_STARTED);
            }
            CloseHelper.quietCloseAll(membership, transport);
            throw e;
        }
    }

    /** What waits for one link is one piece of memory, of a length that is known only with the terms. */
    private void requireMemory() {
        int most = FrameBuffer.mostOf(frameRoom());
        if (!isDirect() && context.outboxFrames() > most) {
            throw new IllegalArgumentException("outboxFrames is " + context.outboxFrames() + ", expected up to " + most
                    + " with slices of " + plan.settings().sliceElements()
                    + " elements: each link takes that many frames of " + frameRoom()
                    + " bytes, below 2 GiB together; choose fewer frames or smaller slices");
        }
    }

    /** Opens all links. Reception comes first: servers broadcast as soon as all workers have declared. */
    void open(List<Table> tables, BroadcastIntake handler, WorkerStats stats) {
        List<TableSpec> specs = tables.stream().map(Table::spec).toList();
        ClusterSettings settings = plan.settings();
        NodeBudget budget = new NodeBudget(settings.linkBudget(), settings.nodeBudget(), clock());
        if (Protocol.PUSH_PULL == plan.settings().protocol()) {
            expect(Ways.single(servers()), tables, handler);
            reception = peering.receiveFrom(plan.servers(), handler);
        } else {
            receiveBroadcast(tables, specs, budget, handler);
        }
        PushWays.Load load = new PushWays.Load(specs, plannedTrees(), frames, isDirect());
        pushes = new PushWays(membership, peering, context, budget, load, stats);
        measuring = null == measured ? null : newMeasuring();
        pushes.start();
    }

    /** What is pushed to a server comes back with its broadcast, so the way of that must be up to it, too. */
    private LinkFeedback newMeasuring() {
        ClusterSettings settings = plan.settings();
        FilterPolicy policy = settings.filterPolicy();
        List<DeliveryRate> rates = new ArrayList<>();
        pushes.addRates(rates);
        int servers = rates.size();
        if (null != relaying) {
            rates.addAll(relaying.rates());
        }
        return new LinkFeedback(
                rates,
                servers,
                settings.budgetedBytesPerSecond(rates.size()),
                policy.leastRate() / Byte.SIZE,
                policy.followsRate(),
                measured);
    }

    private void receiveBroadcast(
            List<Table> tables, List<TableSpec> specs, NodeBudget budget, BroadcastIntake handler) {
        trees = new LiveTrees(membership, peering, specs);
        expect(trees.ways(), tables, handler);
        if (trees.repairs()) {
            missing = newGaps(tables);
            handler.askFor(missing);
            intake = handler;
            missing.askIfBack(membership.attendance().changes() ? plan.epoch() : 0);
        }
        reception = peering.receiveBroadcast(trees.trees(), handler, trees.repairs());
        if (trees.trees().stream().anyMatch(tree -> tree.relays(membership.node()))) {
            context.requireCores(plan.settings(), true);
            DutyCycle cycle = transport.counters().agent("relay");
            LiveTrees its = new LiveTrees(membership, peering, specs);
            relaying = new Relaying(membership, peering, its, tables, context, budget.forAnotherThread(), cycle);
            relaying.start(idle());
        }
    }

    /** What to declare of the trees by which broadcasts come. */
    int plannedTrees() {
        return null == trees ? 0 : trees.planned();
    }

    private void expect(Ways ways, List<Table> tables, BroadcastIntake handler) {
        tables.forEach(
                table -> table.receive(ways, servers(), membership.attendance().changes()));
        handler.expect(ways);
    }

    private Gaps newGaps(List<Table> tables) {
        Tally asked = membership.counters().tally(CounterType.NODE_RESENDS_ASKED, WorkerStats.TRAINER);
        long silenceNs = TimeUnit.MILLISECONDS.toNanos(plan.settings().livenessMs());
        Gaps.Requests requests = new Gaps.Requests(writer, peering::requestLinkTo, asked);
        return Gaps.inBroadcasts(
                TableIntake.due(tables, membership),
                requests,
                trees.ways(),
                tables.size(),
                false,
                silenceNs,
                clock().nanoTime());
    }

    Peering peering() {
        return peering;
    }

    /** The links by which this worker pushes. */
    PushWays pushes() {
        return pushes;
    }

    /** Pushes begin behind a clock. */
    void goOnFrom(long clock) {
        pushes.goOnFrom(clock + 1);
    }

    /** Begins to wait for broadcasts. */
    void listen() {
        if (null != missing) {
            missing.listen(clock().nanoTime());
        }
    }

    /** Asks for what is missing, and of those who have a new parent for what that has not sent; returns requests. */
    int repair() {
        if (null == missing) {
            return 0;
        }
        while (trees.isBehind()) {
            trees.follow(missing::changed);
        }
        if (intake.isBehind()) {
            intake.follow(missing::reopened);
        }
        return missing.work(clock().nanoTime());
    }

    private int frameRoom() {
        return FrameBuffer.roomForDataFrames(plan.settings().sliceElements());
    }

    /** Whether updates go into the log at once, so that there is no more to wait for when one returns. */
    boolean isDirect() {
        return direct;
    }

    /** Waits until links have taken all that was published. */
    void settle() {
        if (null != pushes) {
            pushes.settle();
        }
    }

    /** Waits until this worker's children have been sent all that they can still wait for. */
    void finishRelaying(long version) {
        if (null != relaying) {
            reception.close(); // the relay must not wait for a trainer that reads no more
            relaying.finish(version, context.progressNs(), idle());
        }
    }

    /**
     * Where nodes may come back, waits until all workers are done: until then somebody may need what this one has
     * pushed, and only this one keeps it. The cluster's failure, or the coordinator's silence, ends that too, and a
     * time in which nobody comes on.
     */
    void linger() {
        if (null != pushes) {
            new Lingering(membership, transport, clock(), context.progressNs(), idle()).await(this::invoke);
        }
    }

    /** Sends what may be sent, if that is for the trainer's calls to do; returns the number of frames. */
    int invoke() {
        return null == pushes ? 0 : pushes.invoke();
    }

    /** Where nobody else sends, what an iteration published must not wait for the next one. */
    void endOfClock() {
        if (pushes.isInvoked()) {
            settle();
        }
    }

    /** What keeps this worker's snapshots, or null if the cluster takes none. */
    NodeSnapshots keepSnapshots() {
        return context.keepSnapshots(membership, Role.WORKER, transport::report);
    }

    Membership membership() {
        return membership;
    }

    /** What the trainer's calls count. */
    WorkerStats newStats() {
        return new WorkerStats(
                membership.counters(),
                transport.counters().agent("update"),
                transport.counters().agent("sync"));
    }

    /** The link by which frames of a tree come, in words. */
    String delivery(int tree) {
        return null == trees
                ? "server " + tree + " to " + membership.endpoint()
                : peering.deliveryInWords(trees.trees().get(tree));
    }

    NanoClock clock() {
        return context.clock();
    }

    IdleStrategy idle() {
        return context.newIdleStrategy();
    }

    long progressNs() {
        return context.progressNs();
    }

    /** What this worker's filters are told of the network. */
    NetworkFeedback feedback() {
        return null == measured ? context.feedback() : measured;
    }

    /** Takes the measurements of a clock that is over, in which the trainer took this time without waiting. */
    void onClock(long nowNs, long ownNs) {
        if (null != measuring) {
            measuring.onClock(nowNs, ownNs);
        }
    }

    /** What compression did to the data frames sent so far. */
    CompressionReport compression() {
        return frames.compression();
    }

    /** Writes declarations and requests; for the trainer's thread. */
    FrameWriter writer() {
        return writer;
    }

    int servers() {
        return plan.settings().serverPlaces();
    }

    PushChannel channel(int server) {
        return pushes.channel(server);
    }

    int poll(int limit) {
        return reception.poll(limit);
    }

    void reject(Rejection rejection) {
        reception.reject(rejection);
    }

    long framesRejected() {
        return (null == reception ? 0 : reception.rejected())
                + (null == relaying ? 0 : relaying.rejected())
                + (null == pushes ? 0 : pushes.rejected())
                + membership.rejected();
    }

    long bytesRelayed() {
        return null == relaying ? 0 : relaying.bytes();
    }

    long bytesPushed() {
        return null == pushes ? 0 : pushes.bytes();
    }

    @Override
    public void close() {
        CloseHelper.quietCloseAll(pushes, relaying, membership, transport);
    }
}
