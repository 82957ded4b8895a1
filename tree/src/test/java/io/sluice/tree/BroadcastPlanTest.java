package io.sluice.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.tree.planning.TreePlanners;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BroadcastPlanTest {
    private final List<Place> servers = List.of(new Place(0, "a", "a:1"));
    private final List<Place> workers = List.of(
            new Place(2, "b", "b:2"), new Place(3, "a", "a:3"), new Place(4, "b", "b:4"), new Place(5, "c", "c:5"));

    private static List<BroadcastTree> plan(
            String planner, List<Place> servers, List<Place> workers, boolean sharedMemory) {
        long[] shards = new long[servers.size()];
        Arrays.fill(shards, 1 << 20);
        return BroadcastPlan.of(
                TreePlanners.named(planner), servers, workers, sharedMemory, shards, 1 << 16, SiteNetwork.equal(1e9));
    }

    @Test
    void aHostTakesOneCopyAndSharesIt() {
        assertEquals(
                List.of(
                        new Hop(0, List.of(2), false, "b:2"),
                        new Hop(0, List.of(5), false, "c:5"),
                        new Hop(0, List.of(3), true, ""),
                        new Hop(2, List.of(2, 4), true, "")),
                plan("flat", servers, workers, true).getFirst().hops());
    }

    @Test
    void withoutSharedMemoryEachNodeIsASite() {
        BroadcastTree flat = plan("flat", servers, workers, false).getFirst();
        assertEquals(4, flat.hops().size());
        assertTrue(flat.hops().stream().noneMatch(Hop::sharedMemory));
        BroadcastTree chain = plan("chain", servers, workers, false).getFirst();
        assertEquals(3, chain.hops().stream().filter(Hop::sharedMemory).count(), "a relay sends to its own trainer");
        assertEquals(4, chain.hops().stream().filter(hop -> !hop.sharedMemory()).count());
    }

    @Test
    void wholeClustersOnOneHostShareOneLogForEachServer() {
        List<Place> local = List.of(new Place(2, "a", "a:2"), new Place(3, "a", "a:3"));
        for (String planner : List.of("flat", "chain", "rotated", "shared:3", "p3", "auto")) {
            BroadcastTree tree = plan(planner, servers, local, true).getFirst();
            assertEquals(List.of(new Hop(0, List.of(2, 3), true, "")), tree.hops(), planner);
        }
    }

    /** Each host takes a stripe from the server and sends it to the other; 16 frames make 8 and 8. */
    @Test
    void stripesGoAWayForEachHost() {
        List<BroadcastTree> trees = plan("stripes", servers, workers, true);
        assertEquals(
                List.of(
                        new BroadcastTree(
                                0,
                                1 << 19,
                                List.of(
                                        new Hop(0, List.of(2), false, "b:2"),
                                        new Hop(0, List.of(3), true, ""),
                                        new Hop(2, List.of(5), false, "c:5"),
                                        new Hop(2, List.of(2, 4), true, ""))),
                        new BroadcastTree(
                                0,
                                1 << 19,
                                List.of(
                                        new Hop(0, List.of(5), false, "c:5"),
                                        new Hop(0, List.of(3), true, ""),
                                        new Hop(5, List.of(2), false, "b:2"),
                                        new Hop(5, List.of(5), true, ""),
                                        new Hop(2, List.of(2, 4), true, "")))),
                trees);
    }

    @Drawn
    @ParameterizedTest
    @ValueSource(strings = {"flat", "chain", "rotated:2", "rotated:3", "shared:2", "p3:5", "stripes", "auto"})
    void everyTrainerIsReachedOnce(String planner) {
        for (long seed : Seeds.of(60)) {
            SplittableRandom random = new SplittableRandom(seed);
            List<Place> serving = places(random, 0, random.nextInt(1, 5));
            List<Place> working = places(random, serving.size(), random.nextInt(1, 20));
            boolean sharedMemory = random.nextBoolean();
            List<BroadcastTree> trees = plan(planner, serving, working, sharedMemory);
            assertEquals(
                    serving.stream().map(Place::node).toList(),
                    trees.stream().map(BroadcastTree::root).distinct().toList());
            long[] carried = new long[serving.size()];
            trees.forEach(tree -> carried[tree.root()] += tree.bytes());
            assertTrue(Arrays.stream(carried).allMatch(bytes -> 1 << 20 == bytes), () -> Arrays.toString(carried));
            for (BroadcastTree tree : trees) {
                requireSound(tree, working, sharedMemory, "seed " + seed + ": " + tree);
            }
            assertEquals(trees, plan(planner, serving, working, sharedMemory), "the same at every node");
        }
    }

    private static List<Place> places(SplittableRandom random, int first, int count) {
        List<Place> places = new ArrayList<>();
        for (int node = first; node < first + count; node++) {
            places.add(new Place(node, "host-" + random.nextInt(6), "h:" + node));
        }
        return places;
    }

    /** Requires that every sender is reached, over the network at most once, and every trainer by one hop. */
    private static void requireSound(BroadcastTree tree, List<Place> workers, boolean sharedMemory, String what) {
        Set<Integer> reached = new HashSet<>(Set.of(tree.root()));
        Set<Integer> byNetwork = new HashSet<>();
        List<Integer> trainers = new ArrayList<>();
        for (Hop hop : tree.hops()) {
            assertTrue(reached.contains(hop.from()), what);
            reached.addAll(hop.to());
            if (!hop.sharedMemory()) {
                assertTrue(byNetwork.add(hop.to().getFirst()), what);
                assertEquals("h:" + hop.to().getFirst(), hop.endpoint(), what);
            }
            if (hop.sharedMemory() || !tree.relays(hop.to().getFirst())) {
                trainers.addAll(hop.to());
            }
            if (hop.sharedMemory() && !sharedMemory) {
                assertEquals(List.of(hop.from()), hop.to(), what);
            }
        }
        trainers.sort(null);
        assertEquals(workers.stream().map(Place::node).toList(), trainers, what);
    }
}
