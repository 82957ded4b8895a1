package io.sluice.consistency.worker;

import io.sluice.consistency.membership.ClusterState;
import io.sluice.consistency.membership.ClusterState.Presence;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.membership.WorkerSetHistory;
import io.sluice.consistency.placement.Placement;
import io.sluice.consistency.placement.PlacementHistory;
import io.sluice.consistency.terms.TableSpec;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * The cluster as the trainer's thread knows it: one cursor on what has happened, moved before clocks, between polls,
 * and while the trainer waits for room in a queue; never while a frame is taken in.
 *
 * <p>For the trainer's thread. Allocates nothing while nothing happens.
 */
final class TrainerView {
    private final Membership membership;
    private ClusterState state;
    private int awaited;
    private IntConsumer rejoined = node -> {};
    private PlacementHistory placements;

    TrainerView(Membership membership) {
        this.membership = membership;
        move(membership.state());
    }

    /** Derives who owns which slices of these tables. */
    void place(List<TableSpec> specs) {
        placements = PlacementHistory.of(membership.plan().settings(), specs);
    }

    /** Calls a listener with each place that another incarnation has taken. */
    void onRejoin(IntConsumer listener) {
        rejoined = listener;
    }

    /** Moves to what has happened by now; a cheap question if that is nothing. */
    void advance() {
        ClusterState now = membership.state();
        if (now != state) {
            ClusterState before = state;
            move(now);
            for (int node = 0; node < nodes(); node++) {
                if (before.member(node).epoch() != now.member(node).epoch()) {
                    rejoined.accept(node);
                }
            }
        }
    }

    private void move(ClusterState now) {
        state = now;
        awaited = 0;
        for (int node = 0; node < nodes(); node++) {
            awaited += Presence.AWAY == now.member(node).presence() ? 1 : 0;
        }
    }

    private int nodes() {
        return membership.plan().nodes().size();
    }

    /** All that has happened, up to the cursor: another object for each event. */
    ClusterState state() {
        return state;
    }

    /** Who takes part from which clock on. */
    WorkerSetHistory workerSets() {
        return state.workerSets();
    }

    /** Whether a node is awaited: what does not come meanwhile is not late. */
    boolean isAwaiting() {
        return awaited > 0;
    }

    /** The epoch in which the node was welcomed that has a place, or had it last. */
    int incarnation(int node) {
        return state.member(node).epoch();
    }

    /**
     * Which server owns each slice in a round.
     *
     * @param round that has begun, or of which all changes are known
     * @return the same object as long as nothing changes
     */
    Placement placement(long round) {
        return placements.at(workerSets().serverChanges(), round);
    }
}
