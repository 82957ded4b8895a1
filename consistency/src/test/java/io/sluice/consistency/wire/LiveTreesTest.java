package io.sluice.consistency.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.TestCluster;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.ClusterState;
import io.sluice.consistency.membership.Event;
import io.sluice.consistency.membership.Event.Seat;
import io.sluice.consistency.membership.Incarnation;
import io.sluice.consistency.membership.StartPoint;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.tree.BroadcastTree;
import io.sluice.tree.Hop;
import io.sluice.tree.Place;
import io.sluice.tree.TreeRepair;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
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

    /** The decision of worker 1. The server sends to it alone, and it sends to all others. */
    private static boolean shouldForwardLess(int children, double share, int... moved) {
        List<Place> workers = new ArrayList<>();
        List<Hop> hops = new ArrayList<>();
        for (int node = 1; node <= 1 + children; node++) {
            Place worker = place(node, "host" + node);
            workers.add(worker);
            hops.add(new Hop(1 == node ? SERVER : 1, List.of(node), false, worker.endpoint()));
        }
        BroadcastTree tree = new BroadcastTree(SERVER, 1_000_000, hops);
        BitSet set = new BitSet();
        IntStream.of(moved).forEach(set::set);
        return LiveTrees.shouldForwardLess(new TreeRepair(workers), List.of(tree), 1, set, share);
    }

    /** With one child, a demotion takes 2 S times the present time at a share S of the rate; with three, 4 / 3 S. */
    @Test
    void aRelayForwardsLessIfItIsSlowAndOthersAreMuchFaster() {
        assertTrue(shouldForwardLess(1, 0.25));
        assertTrue(shouldForwardLess(1, 0.35));
        assertFalse(shouldForwardLess(1, 0.45), "the gain is too small");
        assertFalse(shouldForwardLess(1, 1), "at its full rate");
        assertTrue(shouldForwardLess(3, 0.5));
        assertFalse(shouldForwardLess(3, 0.55), "it is not slow, although others were faster");
        assertFalse(shouldForwardLess(3, 1), "at its full rate");
    }

    @Test
    void aSlowChildCostsOneRelayItsPlace() {
        assertFalse(shouldForwardLess(1, 0.25, 2), "a demotion has moved its only child");
        assertTrue(shouldForwardLess(3, 0.25, 2, 3), "a demotion has moved two of three");
        assertFalse(shouldForwardLess(3, 0.25, 2, 3, 4), "a demotion has moved all");
        assertFalse(shouldForwardLess(0, 0.25), "it has no children");
    }

    private ClusterPlan plan(ClusterSettings settings) {
        return new ClusterPlan(1, state.epoch(), settings, state.places());
    }
}
