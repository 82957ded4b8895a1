package io.sluice.consistency.membership;

import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Failure;
import io.sluice.messaging.Liveness;
import java.util.concurrent.TimeUnit;

/**
 * Decides what the silence or the reported error of a node ends: the node or the cluster. Used by the coordinator's
 * thread.
 */
final class Failures {
    /** Time for nodes to receive a failure before several coordinators end. */
    private static final long NEWS_NS = TimeUnit.SECONDS.toNanos(2);

    /** Time that servers have to save results, or to do other work at the end. */
    private static final long LEAVING_NS = TimeUnit.SECONDS.toNanos(60);

    private final ClusterSettings settings;
    private final Members members;
    private final Liveness liveness;
    private final Joins joins;
    private final SnapshotOrders snapshots;
    private final ControlNetwork network;
    private final boolean isOneOfSeveral;
    private final EventSink sink;
    private boolean failed;
    private boolean closing;
    private boolean closed;
    private long closingSinceNs;

    Failures(
            Members members,
            Joins joins,
            SnapshotOrders snapshots,
            ControlNetwork network,
            boolean isOneOfSeveral,
            EventSink sink) {
        this.settings = members.settings;
        this.members = members;
        this.liveness = members.liveness;
        this.joins = joins;
        this.snapshots = snapshots;
        this.network = network;
        this.isOneOfSeveral = isOneOfSeveral;
        this.sink = sink;
    }

    /** Whether the end of the cluster is decided or proposed, or the joined nodes cannot begin. */
    boolean areFinal() {
        return failed || joins.assembly().isUnfit() || null != members.state().failure();
    }

    /**
     * Handles a fault that a node reports. A node's own fault is its death, a fault that prevents a newcomer from
     * joining ends the newcomer, and any other fault ends the cluster.
     *
     * @param node    node that reports it
     * @param failure kind of failure
     * @param nonce   nonce with which the subject has joined
     * @param subject the node at fault
     * @param message description in a sentence
     * @return false without any effect, if the subject is no longer a member, or the node may not report its faults
     */
    boolean onError(int node, Failure failure, long nonce, int subject, String message) {
        boolean refused = Failure.REFUSED == failure && members.isArrival(subject);
        boolean hasSay = node == subject || refused && NodeIds.of(settings).isServer(node);
        if (!hasSay
                || nonce != members.get(subject).nonce
                || !members.presence(subject).isPresent()) {
            return false;
        }
        if (refused) {
            lose(subject, failure, message);
        } else if (Failure.PEER_FAILED == failure && survives(node)) {
            lose(node, Failure.PEER_LOST, message);
        } else {
            fail(failure, subject, message);
        }
        return true;
    }

    /** Decides on the node that has been silent for too long. */
    void work(long nowNs) {
        int dead = liveness.firstOverdue(nowNs);
        if (dead < 0) {
            return;
        }
        long clock = members.get(dead).clock;
        if (members.state()
                .isOver()) { // the node has completed its work and no node needs it, so it may end without leaving
            liveness.unwatch(dead);
            sink.append(new Event.Left(members.state().incarnation(dead), clock));
            return;
        }
        String name = members.nameOf(dead);
        String silent = Silence.inWords(liveness.silenceNs(dead, nowNs), liveness.allowedNs(dead));
        if (survives(dead)) {
            lose(dead, Failure.PEER_LOST, name + " was " + silent + " and was declared dead");
        } else {
            String lost = " and is lost; it had reached clock " + clock;
            fail(Failure.PEER_LOST, dead, name + " has been " + silent + lost);
        }
    }

    /** Dismisses newcomers once some workers of an elastic job have completed: they would have no work. */
    void dismissNewcomers() {
        if (!members.state().isEnding()) {
            return;
        }
        for (int node = 0; node < members.size(); node++) {
            if (Presence.NEWCOMER == members.presence(node)) {
                String late = " joined too late: the job is ending, and a worker has completed all its work";
                lose(node, Failure.REFUSED, members.nameOf(node) + late);
            }
        }
    }

    /**
     * Ends an elastic job if no version has been broadcast and every worker that could still cause one is lost: nodes
     * that join later need a version to start from.
     */
    void requireStart() {
        if (members.versionBroadcast() >= 0 || members.areServersUnheard()) {
            return;
        }
        int lost = -1;
        for (int worker : members.state().workerSets().last().workers()) {
            lost = NodeIds.of(settings).of(Role.WORKER, worker);
            if (Presence.LOST != members.presence(lost)) {
                return;
            }
        }
        fail(
                Failure.PEER_LOST,
                lost,
                "all workers that took part were lost before the parameters had their first values");
    }

    /** Whether the cluster continues when a node dies. */
    private boolean survives(int node) {
        Presence presence = members.presence(node);
        boolean isServer = NodeIds.of(settings).isServer(node);
        if (isServer && (Presence.NEWCOMER == presence || Presence.RELEASED == presence)) {
            return true;
        }
        return switch (settings.onDeath()) {
            case FAIL -> false;
            case SHRINK -> !isServer;
            case WAIT ->
                settings.awaitsTheDead() && (0 != node || isOneOfSeveral); // a single coordinator runs in server 0
        };
    }

    private void lose(int node, Failure failure, String reason) {
        liveness.unwatch(node);
        if (!areFinal()) {
            sink.append(new Event.Lost(members.state().incarnation(node), members.get(node).clock, failure, reason));
        }
    }

    /** Ends the cluster for all nodes. */
    void fail(Failure failure, int subject, String message) {
        if (!areFinal()) {
            failed = true;
            sink.append(new Event.Failed(failure, subject, message));
        }
    }

    /** Acts on the loss of a node, which also receives the event. */
    void onLost(Event.Lost lost) {
        int node = lost.node().node();
        liveness.unwatch(node);
        String reached = lost.reason() + "; it had reached clock " + lost.clock();
        String consequence = consequence(members.state());
        if (settings.awaitsTheDead()) {
            joins.await(node, lost.reason());
            snapshots.abandon();
            network.report(reached + consequence);
        } else if (null == members.state().failure()) {
            if (settings.isElastic()) {
                snapshots.giveWay();
            } else {
                snapshots.stopForLoss(network::report);
            }
            String sentence =
                    reached + consequence + " in epoch " + members.state().epoch();
            network.onError(new ClusterException(lost.failure(), sentence));
        }
    }

    /** Describes the consequence of the loss of a node. */
    static String consequence(ClusterState behind) {
        if (null != behind.failure()) {
            return "; the job ends";
        }
        return DeathPolicy.WAIT == behind.job().onDeath()
                ? "; the cluster waits for it"
                : "; the cluster continues without it";
    }

    /** Ends several coordinators once a job is over or has failed, and its nodes have had time to receive the event. */
    void close(long nowNs) {
        if (closed || !areFinal() && !members.state().isOver()) {
            return;
        }
        if (!closing) {
            closing = true;
            closingSinceNs = nowNs;
        }
        boolean here = members.state().members().stream()
                .anyMatch(member -> member.presence().isPresent());
        if (nowNs - closingSinceNs > (areFinal() || !here ? NEWS_NS : LEAVING_NS)) {
            closed = true;
            sink.append(new Event.Closed());
        }
    }
}
