package io.sluice.consistency.server;

import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.ClusterState;
import io.sluice.consistency.membership.ClusterState.Presence;
import io.sluice.consistency.membership.Incarnation;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.membership.WorkerSetHistory;
import java.util.function.IntPredicate;

/**
 * The cursor of the server's thread: the state of the cluster that it has followed to. It moves between polls, and
 * before a frame of an incarnation that is not known yet. Allocates nothing.
 */
final class ServerView {
    /** No frame has this epoch. */
    private static final int NO_EPOCH = -1;

    private final Membership membership;
    private final ClusterPlan plan;

    /** Whether a place may be taken by another node than before. */
    private final boolean changesHands;

    private final boolean goesOnWithoutLost;
    private ClusterState state;

    /** Whether what has changed is being acted on. */
    private boolean following;

    /** The last epoch whose loss this view has followed. */
    private int epoch;

    /** By node, the epoch of the frames that are taken. */
    private final int[] epochs;

    /** By worker, whether nothing is taken of the node that has its place. */
    private final boolean[] refused;

    /** Acts on what has changed, in this order. */
    interface Follower {
        /** A worker is lost for good. */
        void onLost(int worker);

        /** Another node has a place. */
        void onArrived(int node);

        /** The state before was this one. */
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

    /** Whether there is something to follow, or to act on: a cheap question. */
    boolean isBehind() {
        return following || membership.state() != state;
    }

    /** Moves to the newest state. */
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

    /** Whether a frame of a node is taken: it is of the incarnation that has the place. */
    boolean takes(int node, int ofEpoch) {
        return epochs[node] == ofEpoch;
    }

    /** Whether a frame that is not taken is of a node that is yet to be followed. */
    boolean isToCome(int node, int ofEpoch) {
        return changesHands && ofEpoch > state.member(node).epoch();
    }

    int nodes() {
        return epochs.length;
    }

    /** Takes nothing more of a worker that cannot take part, and has it end alone. */
    void refuse(int worker, int ofEpoch, String reason) {
        int node = plan.workerNode(worker);
        ClusterState.Member member = state.member(node);
        if (member.epoch() == ofEpoch) { // else another is in its place already
            refused[worker] = true;
            setEpochs();
            membership.workerSetChanges().turnAway(node, member.seat().nonce(), reason);
        }
    }

    /** Whether this server continues without a worker (decision 7). */
    boolean isExcused(int worker) {
        return refused[worker] || state.isLost(worker);
    }

    /** Whether a worker takes nothing more: it has left, or the others go on without it. */
    boolean isGone(int worker) {
        return isExcused(worker) || state.clockAtLeaving(worker) < Long.MAX_VALUE;
    }

    boolean isAway(int worker) {
        return Presence.AWAY == state.member(plan.workerNode(worker)).presence();
    }

    /** A predicate over workers, as one over nodes; of a server it is false. */
    IntPredicate ofNodes(IntPredicate ofWorkers) {
        return node -> plan.workerIndex(node) >= 0 && ofWorkers.test(plan.workerIndex(node));
    }
}
