package io.sluice.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.tree.planning.TreePlanners;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TreeRepairTest {
    private static List<Place> places(SplittableRandom random, int first, int count) {
        List<Place> places = new ArrayList<>();
        for (int node = first; node < first + count; node++) {
            places.add(new Place(node, "host-" + random.nextInt(8), "node-" + node + ":1"));
        }
        return places;
    }

    private static long[] bytes(SplittableRandom random, int shards) {
        long[] bytes = new long[shards];
        Arrays.setAll(bytes, shard -> random.nextLong(1, 1 << 26));
        return bytes;
    }

    /** Random forests lose all workers but one, in any order. */
    @Drawn
    @ParameterizedTest
    @ValueSource(strings = {"flat", "chain", "rotated:2", "rotated:3", "shared:2", "p3:5", "stripes", "auto"})
    void everyLiveNodeIsReachedOnce(String planner) {
        for (long seed : Seeds.of(60)) {
            SplittableRandom random = new SplittableRandom(seed);
            List<Place> serving = places(random, 0, random.nextInt(1, 5));
            List<Place> working = places(random, serving.size(), random.nextInt(1, 20));
            boolean sharedMemory = random.nextBoolean();
            long[] bytes = bytes(random, serving.size());
            SiteNetwork network = SiteNetwork.equal(1e9);
            List<BroadcastTree> trees = BroadcastPlan.of(
                    TreePlanners.named(planner), serving, working, sharedMemory, bytes, 1 << 16, network);
            TreeRepair repair = new TreeRepair(working);
            Set<Integer> alive = new HashSet<>(working.stream().map(Place::node).toList());
            while (alive.size() > 1) {
                int dead = alive.stream()
                        .sorted()
                        .skip(random.nextInt(alive.size()))
                        .findFirst()
                        .orElseThrow();
                alive.remove(dead);
                List<BroadcastTree> repaired = repair.without(trees, dead);
                String context = planner + ", seed " + seed + ", without node " + dead + ": " + repaired;
                assertEquals(repaired, new TreeRepair(working).without(trees, dead), context);
                for (int i = 0; i < trees.size(); i++) {
                    requireSound(repaired.get(i), alive, context);
                    requireOnlyHopsOfTheDeadChange(trees.get(i), repaired.get(i), dead, context);
                }
                trees = repaired;
            }
        }
    }

    /** Requires that each node gets one copy from another node; a relay also passes one to its own trainer. */
    static void requireSound(BroadcastTree tree, Set<Integer> alive, String context) {
        Map<Integer, Integer> copies = new HashMap<>();
        Set<Integer> reached = new HashSet<>(Set.of(tree.root()));
        for (Hop hop : tree.hops()) {
            assertTrue(reached.contains(hop.from()), () -> hop + " is before its sender is reached, " + context);
            for (int node : hop.to()) {
                assertTrue(alive.contains(node), () -> hop + " leads to a dead node, " + context);
                reached.add(node);
                if (node != hop.from()) {
                    copies.merge(node, 1, Integer::sum);
                }
            }
        }
        assertEquals(alive, copies.keySet(), context);
        assertTrue(copies.values().stream().allMatch(count -> 1 == count), context);
        for (int node : alive) {
            if (tree.relays(node)) {
                assertEquals(node, tree.delivery(node).from(), context);
                assertTrue(tree.delivery(node).sharedMemory(), context);
            }
        }
    }

    private static void requireOnlyHopsOfTheDeadChange(
            BroadcastTree before, BroadcastTree after, int dead, String context) {
        List<Hop> added = new ArrayList<>(after.hops());
        long orphans = 0;
        for (Hop hop : before.hops()) {
            if (hop.from() == dead) {
                orphans += hop.to().stream().filter(node -> node != dead).count();
            } else if (!hop.to().contains(dead)) {
                assertTrue(added.remove(hop), () -> hop + " is missing, " + context);
            } else if (hop.to().size() > 1) {
                List<Integer> left =
                        hop.to().stream().filter(node -> node != dead).toList();
                assertTrue(added.remove(new Hop(hop.from(), left, true, "")), () -> hop + " is missing, " + context);
            }
        }
        assertEquals(orphans, added.size(), context);
        for (Hop hop : added) {
            assertTrue(!hop.sharedMemory(), context);
            assertTrue(
                    hop.from() == before.root() || before.relays(hop.from()),
                    () -> hop + " begins at a node that did not send, " + context);
        }
    }

    /** Server 0 sends to worker 1, which sends to 2 and 3, of which 2 sends to 4. */
    private final BroadcastTree tree = new BroadcastTree(
            0,
            100,
            List.of(
                    new Hop(0, List.of(1), false, "w1"),
                    new Hop(1, List.of(2), false, "w2"),
                    new Hop(1, List.of(3), false, "w3"),
                    new Hop(1, List.of(1), true, ""),
                    new Hop(2, List.of(4), false, "w4"),
                    new Hop(2, List.of(2), true, "")));

    private final List<Place> workers =
            List.of(new Place(1, "1", "w1"), new Place(2, "2", "w2"), new Place(3, "3", "w3"), new Place(4, "4", "w4"));

    @Test
    void orphansAreAdoptedByTheLeastLoadedSender() {
        BroadcastTree repaired =
                new TreeRepair(workers).without(List.of(tree), 1).getFirst();
        assertEquals(
                List.of(
                        new Hop(0, List.of(2), false, "w2"), // no other node can take it
                        new Hop(0, List.of(3), false, "w3"), // both send to one; the server is nearer
                        new Hop(2, List.of(4), false, "w4"),
                        new Hop(2, List.of(2), true, "")),
                repaired.hops());
    }

    @Test
    void loadInOtherTreesCounts() {
        BroadcastTree other = new BroadcastTree(
                0, 1_000, List.of(new Hop(0, List.of(1), false, "w1"), new Hop(0, List.of(3), false, "w3")));
        TreeRepair repair = new TreeRepair(workers);
        Hop adopted = new Hop(1, List.of(4), false, "w4");
        assertTrue(repair.without(List.of(tree, other), 2).getFirst().from(1).contains(adopted));
        Hop withoutTheOther = new Hop(0, List.of(4), false, "w4"); // as much as worker 1, and nearer
        assertTrue(repair.without(List.of(tree), 2).getFirst().from(0).contains(withoutTheOther));
    }
}
