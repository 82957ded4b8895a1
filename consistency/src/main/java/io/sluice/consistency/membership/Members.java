package io.sluice.consistency.membership;

import io.sluice.codecs.seal.FrameOpener;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.NodeIds;
import io.sluice.messaging.Liveness;
import io.sluice.tree.Place;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.NanoClock;

/**
 * The nodes of a cluster that is complete: in which epoch each has joined, where it is, and what it is told. Used by
 * the coordinator's thread.
 */
final class Members {
    /** Between two times that a node is told that it was taken for dead. */
    private static final long AGAIN_NS = TimeUnit.SECONDS.toNanos(1);

    private final ClusterSettings settings;
    private final NodeIds ids;
    private final EventLog events;
    private final ControlMessages messages;
    private final Liveness liveness;
    private final NanoClock clock;
    private final boolean waits;
    /** Null without a secret. */
    private FrameOpener opener;

    private Candidate[] nodes = new Candidate[0];

    Members(ClusterSettings settings, EventLog events, ControlMessages messages, Liveness liveness, NanoClock clock) {
        this.events = events;
        this.settings = settings;
        this.ids = settings.nodeIds();
        this.messages = messages;
        this.liveness = liveness;
        this.clock = clock;
        this.waits = DeathPolicy.WAIT == settings.onDeath();
    }

    /** Has the keys of those who are welcomed put where their messages are opened. */
    void openWith(FrameOpener newOpener) {
        opener = newOpener;
    }

    /** Up to which version some server has told that it has broadcast; -1 if none has. */
    long versionBroadcast() {
        long version = -1;
        for (int node = 0; node < Math.min(nodes.length, ids.servers()); node++) {
            version = Math.max(version, nodes[node].version);
        }
        return version;
    }

    /** Takes all nodes in, in order of id. */
    void admit(Candidate[] all) {
        nodes = all;
    }

    /** Number of nodes; 0 until the cluster is complete. */
    int size() {
        return nodes.length;
    }

    Candidate get(int node) {
        return nodes[node];
    }

    ClusterState state() {
        return events.state();
    }

    List<Place> places() {
        return state().places();
    }

    String nameOf(int node) {
        return ids.nameOf(node);
    }

    int nodeOf(Candidate candidate) {
        return ids.of(candidate.role, candidate.index);
    }

    int epoch() {
        return state().epoch();
    }

    /** Whether something is of a node that was in a place before, or of one that is lost. */
    boolean isStale(int node, int ofEpoch) {
        return !hears(nodes[node]) || ofEpoch < state().member(node).epoch();
    }

    /**
     * Whether a node has come while the job runs and may end alone: a worker, which may be gone again, or a server that
     * nobody needs yet.
     */
    boolean isArrival(int node) {
        if (!settings.isElastic() || node >= nodes.length) {
            return false;
        }
        return ids.isServer(node)
                ? nodes[node].isNewcomer()
                : state().member(node).epoch() > 0;
    }

    /** Whether a node was heard within the last two heartbeats. */
    boolean isHeard(int node, long nowNs) {
        return liveness.silenceNs(node, nowNs) < 2 * liveness.intervalNs();
    }

    boolean isAnyAway() {
        return Arrays.stream(nodes).anyMatch(Candidate::isAway);
    }

    /** Takes note of who is there, as was decided, and of the epoch that may have begun with that. */
    void follow() {
        for (int node = 0; node < nodes.length; node++) {
            nodes[node].presence = state().member(node).presence();
        }
        messages.enter(epoch());
    }

    /**
     * Puts a node in the place of the one that was there, in the epoch that has begun.
     *
     * @return the one that was there
     */
    Candidate replace(int node, Candidate by) {
        Candidate before = nodes[node];
        nodes[node] = by;
        follow();
        return before;
    }

    /** Watches a node from now on, and sends it the state of the cluster. */
    void welcome(int node) {
        if (nodes[node].isVacant()) {
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
    boolean awaitsWelcome(Candidate candidate) {
        return candidate.isMember
                && candidate.presence.isPresent()
                && Candidate.UNKNOWN == candidate.applied
                && candidate.isTold()
                && (Candidate.UNKNOWN == candidate.sent || clock.nanoTime() - candidate.sentNs > liveness.intervalNs());
    }

    /** Sends the state of the cluster once more to a node that was let in and does not know it. */
    void welcomeAgain(Candidate candidate) {
        welcome(nodeOf(candidate));
    }

    /**
     * A node reports which events it has applied. Those behind are sent again if they were sent long enough ago to
     * have arrived.
     *
     * @return false if it cannot be
     */
    boolean applied(int node, long number) {
        Candidate candidate = nodes[node];
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

    /** Sends each node the events that it has yet to hear of, in their order; returns the number of frames. */
    int sendEvents() {
        int frames = 0;
        for (int node = 0; node < nodes.length; node++) { // no iterator: called in every cycle
            Candidate candidate = nodes[node];
            if (isBehind(candidate)) {
                frames += sendEvents(candidate);
            }
        }
        return frames;
    }

    /** Whether a node that listens has yet to be sent an event. */
    boolean isBehind(Candidate candidate) {
        return Candidate.UNKNOWN != candidate.sent && candidate.sent < state().number() && hears(candidate);
    }

    private int sendEvents(Candidate to) {
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

    /** Tells a node that it was taken for dead: it may only have been held up, or out of reach. */
    void tellOfItsLoss(int node, Failure failure, String sentence) {
        nodes[node].verdict = new ClusterException(failure, sentence);
        sayVerdict(node);
    }

    /**
     * Something was heard that is not of a member: if it is of one that was taken for dead, the news of that may have
     * been lost with the path to it.
     */
    void tellAgain(int node, int ofEpoch) {
        Candidate candidate = nodes[node];
        boolean isIt =
                null != candidate.verdict && ofEpoch >= state().member(node).epoch();
        if (isIt && candidate.isTold() && clock.nanoTime() - candidate.verdictNs > AGAIN_NS) {
            sayVerdict(node);
        }
    }

    private void sayVerdict(int node) {
        Candidate candidate = nodes[node];
        candidate.verdictNs = clock.nanoTime();
        String sentence = candidate.verdict.getMessage();
        candidate.tell(messages, messages.error(candidate.verdict.failure(), candidate.nonce, node, sentence));
    }

    /**
     * Whether a node listens: also one that leaves, which waits for the event, though its place may be free by now, and
     * may stay for nodes that rejoin.
     */
    boolean hears(Candidate node) {
        return node.presence.isPresent() || node.hasLeft();
    }

    /** Whether all nodes have been sent all events. A node that has left may have ended, unless others may need it. */
    boolean areAllTold() {
        boolean told = true;
        for (Candidate node : nodes) {
            told &= !isBehind(node) || !node.presence.isPresent() && !(waits && node.hasLeft());
        }
        return told;
    }
}
