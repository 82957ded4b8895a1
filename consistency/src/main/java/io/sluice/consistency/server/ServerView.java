package io.sluice.consistency.server;

import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.ClusterState;
import io.sluice.consistency.membership.Incarnation;
import io.sluice.consistency.membership.Member;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.membership.Presence;
import io.sluice.consistency.membership.WorkerSetHistory;
import java.util.function.IntPredicate;

/**
 * The view of the server's thread: the cluster state that it has adopted. It advances between polls and before a frame
 * of an unknown incarnation. Allocates nothing.
 */
final class ServerView {
    /** An epoch that no frame has. */
    private static final int NO_EPOCH = -1;

    private final Membership membership;
    private final ClusterPlan plan;

    /** Whether places may get new incarnations. */
    private final boolean changesHands;

    private final boolean goesOnWithoutLost;
    private ClusterState state;

    /** Whether a change is being processed. */
    private boolean following;

    /** The last epoch whose loss this view has processed. */
    private int epoch;

    /** For each node, the epoch of the frames that are accepted. */
    private final int[] epochs;

    /** For each worker, whether frames of the node in its place are refused. */
    private final boolean[] refused;

    /** Reacts to changes, in this order. */
    interface Follower {
        /** Handles the permanent loss of a worker. */
        void onLost(int worker);

        /** Handles a new incarnation of a place. */
        void onArrived(int node);

        /** Handles a newly adopted state; the argument is the previous one. */
        void onFollowed(ClusterState before);
    }

    ServerView(Membership membership) {
        this.membership = membership;
        this.plan = membership.plan();
        this.changesHands = plan.settings().changesHands();
        this.goesOnWithoutLost = !plan.settings().awaitsTheDead();
        this.state = membership.state();
        this.epoch = plan.epoch();
        this.epochs = new int[state.members().size()];
        this.refused = new boolean[plan.settings().workerPlaces()];
        setEpochs();
    }

    ClusterState state() {
        return state;
    }

    WorkerSetHistory workerSets() {
        return state.workerSets();
    }

    Incarnation incarnation(int node) {
        return state.incarnation(node);
    }

    /** Whether there are new events or pending actions; cheap. */
    boolean isBehind() {
        return following || membership.state() != state;
    }

    /** Adopts the newest state. */
    void follow(Follower follower) {
        ClusterState now = membership.state();
        if (now == state && epoch == now.epoch()) {
            return;
        }
        ClusterState before = state;
        state = now;
        following = true;
        while (epoch < now.epoch()) {
            epoch++;
            int worker = now.lostIn(epoch) < 0 ? -1 : plan.workerIndex(now.lostIn(epoch));
            if (goesOnWithoutLost && worker >= 0) {
                follower.onLost(worker);
            }
        }
        for (int node = 0; node < epochs.length; node++) {
            if (now.member(node).epoch() != before.member(node).epoch()) {
                int worker = plan.workerIndex(node);
                if (worker >= 0) {
                    refused[worker] = false;
                }
                follower.onArrived(node);
            }
        }
        setEpochs();
        follower.onFollowed(before);
        following = false;
    }

    private void setEpochs() {
        for (int node = 0; node < epochs.length; node++) {
            Presence presence = state.member(node).presence();
            int worker = plan.workerIndex(node);
            boolean isSender = Presence.VACANT != presence && !(worker >= 0 && isExcused(worker));
            epochs[node] = isSender ? state.member(node).epoch() : NO_EPOCH;
        }
    }

    /** Whether a frame is accepted: it is from the current incarnation of its node's place. */
    boolean takes(int node, int ofEpoch) {
        return epochs[node] == ofEpoch;
    }

    /** Whether a frame that is not accepted is from an incarnation that this view does not contain yet. */
    boolean isToCome(int node, int ofEpoch) {
        return changesHands && ofEpoch > state.member(node).epoch();
    }

    int nodes() {
        return epochs.length;
    }

    /** Refuses all frames of a worker that cannot take part; only that worker ends. */
    void refuse(int worker, int ofEpoch, String reason) {
        int node = plan.workerNode(worker);
        Member member = state.member(node);
        if (member.epoch() == ofEpoch) { // otherwise its place has a new incarnation already
            refused[worker] = true;
            setEpochs();
            membership.workerSetChanges().turnAway(node, member.seat().nonce(), reason);
        }
    }

    /** Whether this server continues without a worker (decision 7). */
    boolean isExcused(int worker) {
        return refused[worker] || state.isLost(worker);
    }

    /** Whether a worker receives no more frames: it has left, or the cluster continues without it. */
    boolean isGone(int worker) {
        return isExcused(worker) || state.clockAtLeaving(worker) < Long.MAX_VALUE;
    }

    boolean isAwaited(int worker) {
        return Presence.AWAITED == state.member(plan.workerNode(worker)).presence();
    }

    /** Turns a predicate over workers into one over nodes, which is false for servers. */
    IntPredicate ofNodes(IntPredicate ofWorkers) {
        return node -> plan.workerIndex(node) >= 0 && ofWorkers.test(plan.workerIndex(node));
    }
}
