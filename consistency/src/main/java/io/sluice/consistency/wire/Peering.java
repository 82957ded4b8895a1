package io.sluice.consistency.wire;

import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.ClusterState;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.placement.Placement;
import io.sluice.consistency.policy.Policies;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.messaging.Channels;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.Inbox;
import io.sluice.messaging.Link;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.bandwidth.StreamPositions;
import io.sluice.messaging.outbox.Backlog;
import io.sluice.messaging.outbox.FlightWindow;
import io.sluice.messaging.outbox.LinkWatch;
import io.sluice.messaging.outbox.NodeBudget;
import io.sluice.messaging.outbox.Pacing;
import io.sluice.messaging.outbox.StreamAcknowledgements;
import io.sluice.tree.BroadcastPlan;
import io.sluice.tree.BroadcastTree;
import io.sluice.tree.Hop;
import io.sluice.tree.Place;
import java.util.List;
import java.util.function.IntFunction;
import org.agrona.concurrent.NanoClock;

/** Opens a node's data links: shared memory to nodes of its host if the cluster allows it, UDP to all others. */
public final class Peering {
    /**
     * Frames in shared memory are read within microseconds; a shorter log would often wait for the driver.
     */
    private static final int FRAMES_IN_SHARED_LOG = 8;

    private final Transport transport;
    private final Membership membership;
    private final long flightBytes;
    private final ClusterPlan plan;
    private final Streams streams;

    /**
     * Prepares to open links.
     *
     * @param transport   opens the links and inboxes, and owns them
     * @param membership  membership of this node
     * @param flightBytes bytes that a UDP link may have in flight; 0 for no bound
     */
    public Peering(Transport transport, Membership membership, long flightBytes) {
        this.transport = transport;
        this.membership = membership;
        this.flightBytes = flightBytes;
        this.plan = membership.plan();
        this.streams = new Streams(plan.clusterId());
    }

    /**
     * Whether the cluster lets nodes of one host share memory.
     *
     * @return false if all frames use UDP
     */
    public boolean sharedMemory() {
        return TransportKind.IPC == plan.settings().transport();
    }

    /**
     * Opens the link for a worker's pushes to one server. If pushes may have to wait, its log is short.
     *
     * @param peer node id of the server
     * @return the link, not connected yet
     */
    public Link pushLinkTo(int peer) {
        return linkTo(peer);
    }

    /**
     * Opens the link for a server's replies to one worker. If replies may have to wait, its log is short.
     *
     * @param peer node id of the worker
     * @return the link, not connected yet
     */
    public Link replyLinkTo(int peer) {
        return linkTo(peer);
    }

    /**
     * Opens a link for frames that a worker has requested, to the stream on which its trainer or its relay receives
     * broadcasts from the network.
     *
     * @param worker index of the worker
     * @param relay  true if its relay has requested the frames, false if its trainer has
     * @return the link, not connected yet
     */
    public Link resendLinkTo(int worker, boolean relay) {
        Place place = place(plan.workerNode(worker));
        int stream = relay ? streams.relay() : streams.broadcast();
        return open(plan.nameOf(place.node()), false, place.endpoint(), stream, false);
    }

    /**
     * Opens a link for a worker's repair requests. Requests have a separate link, because queued after pushes they
     * could wait for a push from a worker that misses the same broadcasts.
     *
     * @param server node id of the server
     * @return the link, not connected yet
     */
    public Link requestLinkTo(int server) {
        return linkTo(server);
    }

    /**
     * Opens a link for a server's requests to a worker to repeat missing pushes.
     *
     * @param worker index of the worker
     * @return the link, not connected yet
     */
    public Link pushRequestLinkTo(int worker) {
        Place place = place(plan.workerNode(worker));
        return transport.openLink(
                plan.nameOf(membership.node()) + " to " + plan.nameOf(place.node()),
                transport.channels().requestUdpTo(Endpoint.parse(place.endpoint())),
                streams.requests());
    }

    /**
     * Opens the inbox for requests from servers to repeat pushes that they miss.
     *
     * @param handler handler of valid frames
     * @return the inbox
     */
    public Inboxes receivePushRequests(FrameHandler handler) {
        return receive(false, true, streams.requests(), streams.requests(), handler);
    }

    /**
     * Whether pushes between this node and another use a network, where they may be lost; shared memory retains them
     * until they are read.
     *
     * @param peer node id; the present node of that place counts
     * @return false if both share memory
     */
    public boolean pushesMayBeLost(int peer) {
        return !shares(place(peer));
    }

    /** The current place of a node. */
    private Place place(int node) {
        return membership.state().place(node);
    }

    private int streamTo(int node, int incarnation) {
        return streams.to(node, plan.settings().isElastic() ? incarnation : 0);
    }

    /**
     * Describes the link on which a node sends to another.
     *
     * @param peer node id of the receiver
     * @return channel and stream
     */
    public String linkInWords(int peer) {
        ClusterState state = membership.state();
        Place place = state.place(peer);
        return inWords(
                shares(place),
                place.endpoint(),
                streamTo(peer, state.member(peer).epoch()));
    }

    /**
     * Describes the link by which broadcasts of a tree reach this node.
     *
     * @param tree tree of any server
     * @return sender, channel and stream
     */
    public String deliveryInWords(BroadcastTree tree) {
        int node = membership.node();
        if (!tree.reaches(node)) {
            return plan.nameOf(tree.root());
        }
        Hop hop = tree.delivery(node);
        return plan.nameOf(hop.from()) + " by "
                + inWords(hop.sharedMemory(), membership.endpoint().toString(), streams.broadcast());
    }

    private static String inWords(boolean shared, String endpoint, int stream) {
        return (shared ? "aeron:ipc" : "aeron:udp?endpoint=" + endpoint) + " stream " + stream;
    }

    private Link linkTo(int peer) {
        ClusterState state = membership.state();
        Place place = state.place(peer);
        return open(
                plan.nameOf(peer),
                shares(place),
                place.endpoint(),
                streamTo(peer, state.member(peer).epoch()),
                plan.settings().queues());
    }

    /**
     * Plans the trees by which servers reach workers. Every node plans them from the same input, with the same result.
     *
     * @param specs   all tables
     * @param workers workers to reach, in order of index
     * @return in the order of the servers
     */
    List<BroadcastTree> broadcastTrees(List<TableSpec> specs, List<Place> workers) {
        ClusterSettings settings = plan.settings();
        return BroadcastPlan.of(
                Policies.planner(settings),
                plan.servers(),
                workers,
                sharedMemory(),
                shardBytes(specs),
                longestFrame(),
                Policies.network(settings));
    }

    /** Computes the placement of these tables. */
    Placement placement(List<TableSpec> specs) {
        return Placement.of(plan.settings(), specs);
    }

    /** The bytes of these tables that each server's trees carry. */
    long[] shardBytes(List<TableSpec> specs) {
        Placement placement = placement(specs);
        long[] shardBytes = new long[plan.settings().serverPlaces()];
        for (int server = 0; server < shardBytes.length; server++) {
            shardBytes[server] = 1; // trees need a size even for a server that owns nothing
            for (TableSpec spec : specs) {
                for (int slice : placement.slicesOf(spec.id(), server)) {
                    shardBytes[server] += (long) spec.sliceLength(slice) * Float.BYTES;
                }
            }
        }
        return shardBytes;
    }

    /**
     * Opens the links of this node's hops in a broadcast. If broadcasts may wait at a server, its logs are short,
     * except those in shared memory. One log in shared memory has many readers, so with a short log one reader that
     * computes would block all others after two frames, for no benefit, since that log takes frames without delay. A
     * relay forwards frames in the order of their arrival.
     *
     * @param number number of the tree
     * @param tree   tree of the broadcast
     * @return the links, in the order of the hops, not connected yet
     */
    public Link[] broadcastLinks(int number, BroadcastTree tree) {
        return tree.from(membership.node()).stream()
                .map(hop -> broadcastLink(number, tree, hop))
                .toArray(Link[]::new);
    }

    /**
     * Opens the link of one of this node's hops in a broadcast, as {@link #broadcastLinks} does.
     *
     * @param number number of the tree
     * @param tree   tree of the broadcast
     * @param hop    hop that begins at this node
     * @return the link, not connected yet
     */
    public Link broadcastLink(int number, BroadcastTree tree, Hop hop) {
        boolean waits = plan.settings().queues() && membership.node() == tree.root();
        int first = hop.to().getFirst();
        if (!hop.sharedMemory()) {
            int stream = tree.relays(first) ? streams.relay(number) : streams.broadcast();
            return open(plan.nameOf(first), false, place(first).endpoint(), stream, waits);
        }
        return sharedMemory()
                ? open("the workers of this host", true, "", streams.broadcast(), false)
                : open("its trainer", true, "", streams.own(first), false);
    }

    /**
     * Opens inboxes for frames that other nodes send to this node alone.
     *
     * @param peers   places of the possible senders
     * @param handler handler of valid frames
     * @return the inboxes
     */
    public Inboxes receiveFrom(List<Place> peers, FrameHandler handler) {
        int stream = streamTo(membership.node(), plan.epoch());
        boolean anywhere = plan.settings().isElastic(); // nodes may join from any host
        boolean shared = peers.stream().anyMatch(this::shares) || anywhere && sharedMemory();
        return receive(shared, anywhere || !peers.stream().allMatch(this::shares), stream, stream, handler);
    }

    /**
     * Opens inboxes for broadcasts: in shared memory if a server or a relay of this host sends, over UDP if a remote
     * node does. A node that joins while the job runs opens both.
     *
     * @param trees   trees of all servers
     * @param handler handler of valid frames
     * @param repairs whether servers may repeat over UDP frames that they have sent in shared memory
     * @return the inboxes
     */
    public Inboxes receiveBroadcast(List<BroadcastTree> trees, FrameHandler handler, boolean repairs) {
        int node = membership.node();
        List<Hop> deliveries = trees.stream()
                .filter(tree -> tree.reaches(node))
                .map(tree -> tree.delivery(node))
                .toList();
        // servers may join from any host
        boolean anywhere = plan.settings().isElastic() && !plan.settings().growsTrees();
        boolean shared = sharedMemory() && (anywhere || deliveries.isEmpty())
                || deliveries.stream().anyMatch(Hop::sharedMemory);
        boolean network = anywhere || repairs || !deliveries.stream().allMatch(Hop::sharedMemory);
        return receive(
                shared,
                network,
                sharedMemory() ? streams.broadcast() : streams.own(node),
                streams.broadcast(),
                handler);
    }

    /**
     * Opens inboxes for broadcasts that this node forwards in their sealed form: one for repeated frames, and none for
     * a tree yet. The node verifies each frame, since a forged one would replace the one that is due.
     *
     * @param trees   number of trees
     * @param handler handler of valid frames
     * @return the inboxes, to which trees can be added
     */
    public RelayInboxes receiveToRelay(int trees, FrameHandler handler) {
        Inboxes inboxes = new Inboxes();
        FrameHandler genuine = membership.sealing().genuine(handler, inboxes::reject);
        IntFunction<Inbox> opening = stream -> transport.openUdpInbox(
                "relayed by " + plan.nameOf(membership.node()), membership.endpoint(), stream, newValidator(), genuine);
        inboxes.add(opening.apply(streams.relay()));
        return new RelayInboxes(inboxes, trees, tree -> opening.apply(streams.relay(tree)));
    }

    private Inboxes receive(
            boolean shared, boolean network, int sharedStream, int networkStream, FrameHandler handler) {
        Inboxes inboxes = new Inboxes();
        FrameHandler opening = membership.sealing().opening(handler, inboxes::reject);
        String label = "of " + plan.nameOf(membership.node());
        if (shared) {
            inboxes.add(transport.openIpcInbox(label, sharedStream, newValidator(), opening));
        }
        if (network) {
            inboxes.add(transport.openUdpInbox(label, membership.endpoint(), networkStream, newValidator(), opening));
        }
        return inboxes;
    }

    /**
     * Begins to pace and watch a link that was just opened.
     *
     * @param link    link opened here
     * @param budget  budget of this node
     * @param clock   clock of the budget
     * @param backlog frames that wait for the link
     * @return the watch of the link, with its pacing
     */
    public LinkWatch watch(Link link, NodeBudget budget, NanoClock clock, Backlog backlog) {
        StreamPositions positions = positions(link);
        Pacing pacing = budget.pace(link, longestFrame(), flightWindow(positions));
        return new LinkWatch(
                link,
                clock,
                positions,
                pacing,
                backlog,
                longestFrame(),
                plan.settings().queues());
    }

    /**
     * Begins to pace a link that was just opened, without a watch.
     *
     * @param link link opened here
     * @param budget budget of this node
     * @return pacing of the link
     */
    public Pacing pace(Link link, NodeBudget budget) {
        return budget.pace(link, longestFrame(), flightWindow(positions(link)));
    }

    /**
     * Reads the positions of a link from counters that this process has mapped, which stay readable when the driver
     * ends.
     */
    private StreamPositions positions(Link link) {
        return link.isUdp()
                ? new StreamPositions(transport.counters().reader(), link.registrationId(), link.position())
                : null;
    }

    private FlightWindow flightWindow(StreamPositions positions) {
        return 0 == flightBytes || null == positions
                ? null
                : new FlightWindow(
                        new StreamAcknowledgements(
                                positions, transport.channels().receiverWindow()),
                        flightBytes);
    }

    private Link open(String peer, boolean shared, String endpoint, int stream, boolean shortLog) {
        String full = shared ? transport.channels().ipc() : transport.channels().bulkUdpTo(Endpoint.parse(endpoint));
        int frames = shared ? FRAMES_IN_SHARED_LOG : 1;
        String channel = shortLog ? Channels.shortened(full, frames * longestFrame()) : full;
        Link link = transport.openLink(plan.nameOf(membership.node()) + " to " + peer, channel, stream);
        requireRoom(link);
        return link;
    }

    /**
     * The length of the longest frame: that of a slice sent dense, as f32, with its tag and seal if there are any.
     *
     * @return bytes
     */
    public int longestFrame() {
        int elements = plan.settings().sliceElements();
        int dense = BlockFormat.DENSE.minLength(ValueType.F32, elements, elements);
        return Frame.DATA_LENGTH
                + dense
                + Policies.tagLength(plan.settings())
                + membership.sealing().trailerLength();
    }

    private void requireRoom(Link link) {
        if (longestFrame() > link.maxFrameLength()) {
            link.close();
            throw new MessagingException("slices of " + plan.settings().sliceElements()
                    + " elements make frames of up to " + longestFrame() + " bytes, but link " + link.label()
                    + " carries " + link.maxFrameLength()
                    + " at most: choose smaller slices or longer terms");
        }
    }

    private FrameValidator newValidator() {
        return new FrameValidator(plan.clusterId(), new FrameChecksum())
                .sealed(membership.sealing().rule());
    }

    private boolean shares(Place peer) {
        return sharedMemory()
                && peer.host().equals(plan.nodes().get(membership.node()).host());
    }
}
