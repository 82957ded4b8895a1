package io.sluice.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DirectPlannerTest {
    private final Place root = new Place(0, "a", "a:1");
    private final List<Place> receivers = List.of(
            new Place(2, "b", "b:2"), new Place(3, "a", "a:3"), new Place(4, "b", "b:4"), new Place(5, "a", "a:5"));

    @Test
    void receiversOfTheRootsHostShareOneLog() {
        BroadcastTree tree = new DirectPlanner(true).plan(root, receivers);
        assertEquals(
                List.of(
                        new Hop(0, List.of(3, 5), true, ""),
                        new Hop(0, List.of(2), false, "b:2"),
                        new Hop(0, List.of(4), false, "b:4")),
                tree.hops());
    }

    @Test
    void withoutSharedMemoryEachReceiverHasAHopOfItsOwn() {
        BroadcastTree tree = new DirectPlanner(false).plan(root, receivers);
        assertEquals(4, tree.hops().size());
        assertTrue(tree.hops().stream().noneMatch(Hop::sharedMemory));
        assertEquals("a:5", tree.into(5).endpoint());
    }

    @Test
    void nobodyToReachIsAnEmptyTree() {
        assertEquals(List.of(), new DirectPlanner(true).plan(root, List.of()).hops());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everyReceiverIsReachedExactlyOnce(boolean sharedMemory) {
        for (long seed = 1; seed <= 200; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            List<Place> places = new ArrayList<>();
            int count = random.nextInt(40);
            for (int node = 1; node <= count; node++) {
                places.add(new Place(node, "host-" + random.nextInt(4), "h:" + node));
            }
            Place from = new Place(0, "host-" + random.nextInt(5), "h:0");
            BroadcastTree tree = new DirectPlanner(sharedMemory).plan(from, places);

            List<Integer> reached = new ArrayList<>();
            tree.hops().forEach(hop -> reached.addAll(hop.to()));
            reached.sort(null);
            assertEquals(places.stream().map(Place::node).toList(), reached, "seed " + seed);
            assertEquals(tree.hops(), tree.from(0), "seed " + seed);
        }
    }
}
