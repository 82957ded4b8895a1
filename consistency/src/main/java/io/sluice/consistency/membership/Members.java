package io.sluice.consistency.membership;

import io.sluice.codecs.seal.FrameOpener;
import io.sluice.consistency.membership.ClusterRecord.Presence;
import io.sluice.messaging.Liveness;
import io.sluice.tree.Place;
import java.util.ArrayList;
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

    private final long clusterId;
    private final ClusterSettings settings;
    private final NodeIds ids;
    private final ClusterRecord record;
    private final ControlMessages messages;
    private final Liveness liveness;
    private final NanoClock clock;
    private final boolean waits;
    /** Null without a secret. */
    private FrameOpener opener;

    private Candidate[] nodes = new Candidate[0];
    private List<Place> places = List.of();
    private boolean over;

    Members(
            long clusterId,
            ClusterSettings settings,
            ClusterRecord record,
            ControlMessages messages,
            Liveness liveness,
            NanoClock clock) {
        this.record = record;
        this.clusterId = clusterId;
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
        places = Roster.places(all);
    }

    /** Number of nodes; 0 until the cluster is complete. */
    int size() {
        return nodes.length;
    }

    Candidate get(int node) {
        return nodes[node];
    }

    Candidate[] all() {
        return nodes;
    }

    List<Place> places() {
        return places;
    }

    String nameOf(int node) {
        return ids.nameOf(node);
    }

    int nodeOf(Candidate candidate) {
        return ids.of(candidate.role, candidate.index);
    }

    int epoch() {
        return record.epoch();
    }

    /** The epoch in which a node was welcomed. */
    int life(int node) {
        return record.member(node).life();
    }

    /** Whether something is of a node that has taken the sender's place since, or of one that is no member any more. */
    boolean isStale(int node, int ofEpoch) {
        return !nodes[node].hasLeft() && Presence.HERE != nodes[node].presence || ofEpoch < life(node);
    }

    /**
     * Whether a node has come while the job runs and may end alone: a worker, which may be gone again, or a server that
     * nobody needs yet.
     */
    boolean isArrival(int node) {
        if (!settings.isElastic() || node >= nodes.length) {
            return false;
        }
        return ids.isServer(node) ? nodes[node].isArriving : life(node) > 0;
    }

    boolean isAnyAway() {
        return Arrays.stream(nodes).anyMatch(Candidate::isAway);
    }

    /** Takes note of who is there, as was decided, and of the epoch that may have begun with that. */
    void follow() {
        for (int node = 0; node < nodes.length; node++) {
            nodes[node].presence = record.member(node).presence();
            nodes[node].leftAt = record.member(node).clock();
        }
        messages.enter(record.epoch());
    }

    /**
     * Puts a node in the place of the one that was there, in the epoch that has begun. For trees the place is where it
     * was: only the endpoint is another.
     *
     * @return the one that was there
     */
    Candidate replace(int node, Candidate by) {
        return replace(node, by, places.get(node).host());
    }

    /** As the other; the node may be at another host. */
    Candidate replace(int node, Candidate by, String host) {
        Candidate before = nodes[node];
        nodes[node] = by;
        List<Place> now = new ArrayList<>(places);
        now.set(node, new Place(node, host, by.endpoint));
        places = List.copyOf(now);
        follow();
        return before;
    }

    /** The cluster as it is in this epoch. */
    ClusterPlan plan(StartPoint start) {
        return plan(record.epoch(), start);
    }

    /** The same for a node that was let in in an epoch before. */
    ClusterPlan plan(int epoch, StartPoint start) {
        return new ClusterPlan(clusterId, epoch, settings, places, start);
    }

    /** Watches a node from now on, and tells it the plan, of the epoch that it joins in. */
    void welcome(int node, ClusterPlan plan) {
        if (nodes[node].isVacant()) {
            return; // nobody has come yet
        }
        liveness.watch(node, clock.nanoTime());
        if (null != opener) {
            opener.admit(node, plan.epoch(), nodes[node].nonce);
        }
        int[] epochs = new int[nodes.length];
        for (int i = 0; i < nodes.length; i++) {
            epochs[i] = nodes[i].isAway() || nodes[i].isVacant() ? -1 : life(i);
        }
        long[] nonces = Arrays.stream(nodes).mapToLong(each -> each.nonce).toArray();
        tell(node, messages.welcome(plan, node, nonces, epochs));
    }

    void tellAll(int length) {
        for (int node = 0; node < nodes.length; node++) {
            tell(node, length);
        }
    }

    void tell(int node, int length) {
        if (hears(nodes[node])) {
            nodes[node].tell(messages, length);
        }
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
        boolean isIt = null != candidate.verdict && ofEpoch >= life(node);
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

    /** All workers are gone: who has left need not stay for those who may come back. */
    void end(int length) {
        tellAll(length);
        over = true;
    }

    boolean isOver() {
        return over;
    }

    /** Whether a node still listens: one that has left does, as long as somebody else may need what it keeps. */
    boolean hears(Candidate node) {
        return Presence.HERE == node.presence || waits && node.hasLeft() && !over;
    }
}
