package io.sluice.consistency.membership;

import io.sluice.codecs.seal.FrameOpener;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Failure;
import io.sluice.messaging.Liveness;
import java.util.Arrays;
import java.util.stream.Stream;
import org.agrona.concurrent.NanoClock;

/**
 * The links to the nodes of a complete cluster. Each node receives the state in its welcome, and every later event
 * until it has applied it, its own loss included. Used by the coordinator's thread.
 */
final class Members {
    final ClusterSettings settings;
    final Liveness liveness;
    final NanoClock clock;
    private final NodeIds ids;
    private final EventLog events;
    private final ControlMessages messages;

    /** Opener of the sealed messages of members; null without a secret. */
    private FrameOpener opener;

    private NodeProxy[] nodes = new NodeProxy[0];

    /** Number of the last heartbeat that was sent. */
    private long beat;

    /**
     * Creates an empty list of members. The first beat is a multiple of 2^32 that grows with the term of office, so the
     * beats of earlier leaders have lower numbers.
     */
    Members(
            ClusterSettings settings,
            EventLog events,
            ControlMessages messages,
            Liveness liveness,
            NanoClock clock,
            long term) {
        this.events = events;
        this.settings = settings;
        this.ids = NodeIds.of(settings);
        this.messages = messages;
        this.liveness = liveness;
        this.clock = clock;
        this.beat = (term + 1) << Integer.SIZE;
    }

    /** Adds the keys of welcomed nodes to an opener of messages from now on. */
    void openWith(FrameOpener newOpener) {
        opener = newOpener;
    }

    /** Adds all nodes, in order of id. */
    void admit(NodeProxy[] all) {
        nodes = all;
    }

    /** Takes over the members that another coordinator has admitted. Each reports which events it has applied. */
    void restore(ControlNetwork network) {
        long nowNs = clock.nanoTime();
        nodes = new NodeProxy[state().members().size()];
        for (int node = 0; node < nodes.length; node++) {
            Member member = state().member(node);
            nodes[node] = restored(node, member, network);
            if (member.presence().isPresent()) {
                liveness.watch(node, nowNs);
            }
            if (null != opener && nodes[node].isReachable()) {
                opener.admit(node, member.epoch(), member.seat().nonce());
            }
        }
        messages.enter(state().epoch());
    }

    private NodeProxy restored(int node, Member member, ControlNetwork network) {
        if (Presence.VACANT == member.presence()) {
            return NodeProxy.absent(ids.role(node), ids.index(node));
        }
        Event.Seat seat = new Event.Seat(member.seat().nonce(), member.seat().endpoint(), member.home());
        NodeProxy reached = NodeProxy.reachedBy(
                network,
                ids.role(node).ordinal(),
                ids.index(node),
                seat.nonce(),
                Claims.NONE,
                seat.endpoint(),
                seat.host());
        NodeProxy candidate = null == reached ? NodeProxy.unreachable(ids.role(node), ids.index(node), seat) : reached;
        candidate.isMember = true;
        candidate.hostNow = member.seat().host();
        return candidate;
    }

    /** Replaces the node in a place, in the epoch that has begun. */
    void replace(int node, NodeProxy by) {
        nodes[node].close();
        nodes[node] = by;
    }

    /** Number of the last heartbeat that was sent. */
    long beat() {
        return beat;
    }

    /** Number of the heartbeat that is sent next. */
    long nextBeat() {
        return ++beat;
    }

    /** Whether a server that is a member has yet to report to this coordinator. */
    boolean areServersUnheard() {
        for (int node = 0; node < Math.min(nodes.length, ids.servers()); node++) {
            if (presence(node).isPresent() && NodeProxy.UNKNOWN == nodes[node].applied) {
                return true;
            }
        }
        return false;
    }

    /** The highest version that a server reports to have broadcast; -1 for none. */
    long versionBroadcast() {
        long version = -1;
        for (int node = 0; node < Math.min(nodes.length, ids.servers()); node++) {
            version = Math.max(version, nodes[node].version);
        }
        return version;
    }

    /** Number of nodes; 0 until the cluster is complete. */
    int size() {
        return nodes.length;
    }

    NodeProxy get(int node) {
        return nodes[node];
    }

    Stream<NodeProxy> all() {
        return Arrays.stream(nodes);
    }

    ClusterState state() {
        return events.state();
    }

    Presence presence(int node) {
        return state().presence(node);
    }

    String nameOf(int node) {
        return ids.nameOf(node);
    }

    int nodeOf(NodeProxy candidate) {
        return ids.of(candidate.role, candidate.index);
    }

    /** Whether a node is a running member, or the cluster waits for it. */
    boolean isHere(int node) {
        return presence(node).isPresent() || Presence.AWAITED == presence(node);
    }

    /** Whether a node is a member, which includes one that has left and stays for nodes that rejoin. */
    boolean isMember(int node) {
        return presence(node).isPresent() || presence(node).hasLeft();
    }

    /**
     * Whether a node has joined while the job runs and may end alone: a worker, which can leave again, or a server that
     * no node needs yet.
     */
    boolean isArrival(int node) {
        if (!settings.isElastic() || node >= nodes.length) {
            return false;
        }
        return ids.isServer(node)
                ? Presence.NEWCOMER == presence(node)
                : state().member(node).epoch() > 0;
    }

    /** Watches a node from now on, and sends it the state of the cluster. */
    void welcome(int node) {
        if (Presence.VACANT == presence(node)) {
            return;
        }
        long nowNs = clock.nanoTime();
        liveness.watch(node, nowNs);
        if (null != opener) {
            opener.admit(node, state().member(node).epoch(), nodes[node].nonce);
        }
        nodes[node].enqueue(messages, messages.welcome(settings, node, nodes[node].nonce, state()));
        nodes[node].isMember = true;
        nodes[node].sent = state().number();
        nodes[node].sentNs = nowNs;
    }

    /** Whether an admitted node requests to join: its welcome was lost, or an earlier coordinator has sent it. */
    boolean awaitsWelcome(NodeProxy candidate) {
        return candidate.isMember
                && NodeProxy.UNKNOWN == candidate.applied
                && candidate.isFlushed()
                && (NodeProxy.UNKNOWN == candidate.sent || clock.nanoTime() - candidate.sentNs > liveness.intervalNs());
    }

    /** Welcomes a node again, or refuses it if it is no longer a member. */
    void welcomeAgain(NodeProxy candidate) {
        int node = nodeOf(candidate);
        if (presence(node).isPresent()) {
            welcome(node);
        } else {
            String lost = nameOf(node) + " was lost before its welcome arrived: start it again";
            candidate.enqueue(messages, messages.error(Failure.REFUSED, candidate.nonce, ControlIds.COORDINATOR, lost));
        }
    }

    /**
     * Handles a node's report of the last event that it has applied. Later events are sent again after they had time to
     * arrive.
     *
     * @return false if the report is impossible
     */
    boolean applied(int node, long number) {
        NodeProxy candidate = nodes[node];
        if (number < 1 || number > state().number()) {
            return false;
        }
        candidate.applied = Math.max(candidate.applied, number);
        boolean isLate = number < candidate.sent && clock.nanoTime() - candidate.sentNs > liveness.intervalNs();
        if (candidate.sent < number || isLate) {
            candidate.sent = number;
        }
        return true;
    }

    /** Sends queued messages, and the events that nodes have yet to receive; returns the number of frames. */
    int flush() {
        int frames = 0;
        for (int node = 0; node < nodes.length; node++) { // no iterator, because this runs in every cycle
            frames += nodes[node].flush();
            if (isBehind(node) && (presence(node).isPresent() || isTimeToTry(nodes[node]))) {
                frames += sendEvents(nodes[node]);
            }
        }
        return frames;
    }

    /**
     * Whether to offer events to a former member now. It may never take them, so one attempt in each interval is
     * enough.
     */
    private boolean isTimeToTry(NodeProxy absent) {
        long nowNs = clock.nanoTime();
        if (nowNs - absent.triedNs < liveness.intervalNs()) {
            return false;
        }
        absent.triedNs = nowNs;
        return true;
    }

    /** Whether a node has yet to be sent an event. */
    boolean isBehind(int node) {
        NodeProxy candidate = nodes[node];
        return NodeProxy.UNKNOWN != candidate.sent
                && candidate.sent < state().number()
                && Presence.VACANT != presence(node);
    }

    private int sendEvents(NodeProxy to) {
        int frames = 0;
        while (to.isReached() && to.sent < state().number()) {
            long number = to.sent + 1;
            Event event = events.event(number);
            if (null == event) {
                return frames; // only a node that is about to be lost is so far behind
            }
            if (!to.offer(messages, messages.event(number, EventCodec.encode(event)))) {
                return frames;
            }
            to.sent = number;
            to.sentNs = clock.nanoTime();
            frames++;
        }
        return frames;
    }

    /** Whether all nodes have received all events. A node that has left may have ended, unless others may need it. */
    boolean haveAllReceived() {
        boolean waits = settings.keepsLeavers();
        boolean allReceived = true;
        for (int node = 0; node < nodes.length; node++) {
            boolean listens =
                    presence(node).isPresent() || waits && presence(node).hasLeft();
            allReceived &= !listens || nodes[node].isFlushed() && !isBehind(node);
        }
        return allReceived;
    }

    void close() {
        all().forEach(NodeProxy::close);
    }
}
