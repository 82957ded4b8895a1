package io.sluice.consistency.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.consistency.TestCluster;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.ClusterState;
import io.sluice.consistency.membership.Event;
import io.sluice.consistency.membership.Event.Seat;
import io.sluice.consistency.membership.Incarnation;
import io.sluice.consistency.membership.StartPoint;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.tree.Place;
import java.util.List;
import org.junit.jupiter.api.Test;

class LiveTreesTest {
    private static final int SERVER = 0;

    private ClusterState state = ClusterState.EMPTY;
    private long nonce = 1;

    private Seat seat(String host) {
        return new Seat(nonce++, host + ":1", host);
    }

    private static Place place(int node, String host) {
        return new Place(node, host, host + ":1");
    }

    private void apply(Event event) {
        ClusterState next = state.apply(event);
        assertEquals(state.number() + 1, next.number(), () -> event + " does not fit " + state);
        state = next;
    }

    private void change(long clock, int node, boolean joins) {
        apply(new Event.Proposed(state.incarnation(node), joins));
        apply(new Event.Agreed(state.number(), clock));
        apply(new Event.Passed(state.incarnation(SERVER), clock));
    }

    private void join(long clock, int node, String host) {
        apply(new Event.Arrived(node, seat(host)));
        change(clock, node, true);
    }

    private void leave(long clock, int node) {
        Incarnation leaver = state.incarnation(node);
        change(clock, node, false);
        apply(new Event.Left(leaver, clock));
    }

    /** Node 2 has had three processes on three hosts; a worker that joins now finds the third in the state. */
    @Test
    void thePlanIsOfTheFirstWorkers() {
        ClusterSettings settings =
                TestCluster.terms().servers(1).workers(2).places(3).build();
        Event.Job job = new Event.Job(1, "terms", "declared", 1, DeathPolicy.FAIL, StartPoint.FRESH);
        apply(new Event.Completed(job, List.of(seat("s"), seat("a"), seat("b"), new Seat(0, "", ""))));
        List<Place> first = List.of(place(1, "a"), place(2, "b"));
        assertEquals(first, LiveTrees.firstWorkers(plan(settings), state));
        join(4, 3, "x");
        leave(5, 2);
        join(7, 2, "c");
        leave(8, 3);
        leave(9, 2);
        join(11, 2, "d");
        join(12, 3, "e");
        assertEquals("d", state.places().get(2).host());
        assertEquals(first, LiveTrees.firstWorkers(plan(settings), state));
    }

    private ClusterPlan plan(ClusterSettings settings) {
        return new ClusterPlan(1, state.epoch(), settings, state.places());
    }
}
