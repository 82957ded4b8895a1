package io.sluice.consistency.membership;

import io.sluice.codecs.seal.FrameOpener;
import io.sluice.consistency.membership.ClusterState.Member;
import io.sluice.consistency.membership.ClusterState.Presence;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.NodeIds;
import io.sluice.messaging.Liveness;
import java.util.Arrays;
import java.util.stream.Stream;
import org.agrona.concurrent.NanoClock;

/**
 * The links to the nodes of a complete cluster: each is welcomed with the state, and sent every later event until it
 * has applied that, also the one that says that it is lost. Used by the coordinator's thread.
 */
final class Members {
    final ClusterSettings settings;
    final Liveness liveness;
    final NanoClock clock;
    private final NodeIds ids;
    private final EventLog events;
    private final ControlMessages messages;

    /** Null without a secret. */
    private FrameOpener opener;

    private NodeProxy[] nodes = new NodeProxy[0];

    /** Number of the last heartbeat that was sent. */
    private long beat;

    /** Numbers heartbeats from a multiple of the term on, so that those of earlier leaders have lower numbers. */
    Members(
            ClusterSettings settings,
            EventLog events,
            ControlMessages messages,
            Liveness liveness,
            NanoClock clock,
            long term) {
        this.events = events;
        this.settings = settings;
        this.ids = settings.nodeIds();
        this.messages = messages;
        this.liveness = liveness;
        this.clock = clock;
        this.beat = (term + 1) << Integer.SIZE;
    }

    /** Has the keys of those that are welcomed put where their messages are opened. */
    void openWith(FrameOpener newOpener) {
        opener = newOpener;
    }

    /** Takes all nodes in, in order of id. */
    void admit(NodeProxy[] all) {
        nodes = all;
    }

    /** Goes on with the members that another coordinator has let in: each says which events it has applied. */
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

    /** Puts a node in the place of the one that was there, in the epoch that has begun. */
    void replace(int node, NodeProxy by) {
        nodes[node].close();
        nodes[node] = by;
    }

    /** Number of the last heartbeat that was sent. */
    long beat() {
        return beat;
    }

    /** Number of the heartbeat that is sent now. */
    long nextBeat() {
        return ++beat;
    }

    /** Whether a server that is there has not been heard by this coordinator yet. */
    boolean areServersUnheard() {
        for (int node = 0; node < Math.min(nodes.length, ids.servers()); node++) {
            if (presence(node).isPresent() && NodeProxy.UNKNOWN == nodes[node].applied) {
                return true;
            }
        }
        return false;
    }

    /** Up to which version some server has said that it has broadcast; -1 if none has. */
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
        return state().member(node).presence();
    }

    String nameOf(int node) {
        return ids.nameOf(node);
    }

    int nodeOf(NodeProxy candidate) {
        return ids.of(candidate.role, candidate.index);
    }

    /** Whether a node takes part, or is awaited. */
    boolean isHere(int node) {
        return presence(node).isPresent() || Presence.AWAY == presence(node);
    }

    /** Whether a node is a member: also one that has left, which stays for nodes that rejoin. */
    boolean isMember(int node) {
        return presence(node).isPresent() || presence(node).hasLeft();
    }

    /**
     * Whether a node has joined while the job runs and may end alone: a worker, which may be gone again, or a server
     * that no node needs yet.
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
        nodes[node].tell(messages, messages.welcome(settings, node, nodes[node].nonce, state()));
        nodes[node].isMember = true;
        nodes[node].sent = state().number();
        nodes[node].sentNs = nowNs;
    }

    /**
     * Whether a node asks to join although it was let in: the welcome was lost, or sent by a coordinator before this.
     */
    boolean awaitsWelcome(NodeProxy candidate) {
        return candidate.isMember
                && presence(nodeOf(candidate)).isPresent()
                && NodeProxy.UNKNOWN == candidate.applied
                && candidate.isTold()
                && (NodeProxy.UNKNOWN == candidate.sent || clock.nanoTime() - candidate.sentNs > liveness.intervalNs());
    }

    /** Sends the state of the cluster once more to a node that was let in and does not know it. */
    void welcomeAgain(NodeProxy candidate) {
        welcome(nodeOf(candidate));
    }

    /**
     * A node reports which events it has applied. Those behind are sent again if they were sent long enough ago to
     * have arrived.
     *
     * @return false if it cannot be
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

    /**
     * Sends what nodes have yet to be told, and the events that they have yet to
     * hear; returns the number of frames.
     */
    int flush() {
        int frames = 0;
        for (int node = 0; node < nodes.length; node++) { // no iterator: called in every cycle
            frames += nodes[node].flush();
            if (isBehind(node) && (presence(node).isPresent() || isTimeToTry(nodes[node]))) {
                frames += sendEvents(nodes[node]);
            }
        }
        return frames;
    }

    /** A node that is not there any more may never take what it has yet to hear: once each interval is enough. */
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
                return frames; // so far behind is only a node that is about to be missed
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

    /** Whether all nodes have been told all. A node that has left may have ended, unless others may need it. */
    boolean areAllTold() {
        boolean waits = settings.awaitsTheDead();
        boolean told = true;
        for (int node = 0; node < nodes.length; node++) {
            boolean listens =
                    presence(node).isPresent() || waits && presence(node).hasLeft();
            told &= !listens || nodes[node].isTold() && !isBehind(node);
        }
        return told;
    }

    void close() {
        all().forEach(NodeProxy::close);
    }
}
