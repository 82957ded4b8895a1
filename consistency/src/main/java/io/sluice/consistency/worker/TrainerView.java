package io.sluice.consistency.worker;

import io.sluice.consistency.membership.ClusterState;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.membership.Presence;
import io.sluice.consistency.membership.WorkerSetHistory;
import io.sluice.consistency.placement.Placement;
import io.sluice.consistency.placement.PlacementHistory;
import io.sluice.consistency.terms.TableSpec;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * The view of the trainer's thread: one position in the events. It advances before clocks, between polls, and while the
 * trainer waits for a free slot of a queue, but never while a frame is being processed.
 *
 * <p>For the trainer's thread. Allocates only when there are events.
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

    /** Sets the tables, whose owners of slices the view derives. */
    void place(List<TableSpec> specs) {
        placements = PlacementHistory.of(membership.plan().settings(), specs);
    }

    /** Calls a listener with each place that has a new incarnation. */
    void onRejoin(IntConsumer listener) {
        rejoined = listener;
    }

    /** Applies all new events; cheap if there are none. */
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
            awaited += Presence.AWAITED == now.member(node).presence() ? 1 : 0;
        }
    }

    private int nodes() {
        return membership.plan().nodes().size();
    }

    /** The cluster state at this position; a new object after each event. */
    ClusterState state() {
        return state;
    }

    /** The worker sets by first clock. */
    WorkerSetHistory workerSets() {
        return state.workerSets();
    }

    /** Whether the cluster waits for a dead node; meanwhile no frame is late. */
    boolean isAwaiting() {
        return awaited > 0;
    }

    /** The incarnation of the node that holds a place, or held it last. */
    int incarnation(int node) {
        return state.member(node).epoch();
    }

    /**
     * The owner of each slice in a round.
     *
     * @param round round that has begun, or whose changes are all known
     * @return the same object while the owners do not change
     */
    Placement placement(long round) {
        return placements.at(workerSets().serverChanges(), round);
    }
}
