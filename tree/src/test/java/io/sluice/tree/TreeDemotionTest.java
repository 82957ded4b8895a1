package io.sluice.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.tree.planning.TreePlanners;
import io.sluice.tree.spi.TreePlanner;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Workers are demoted while others leave and join; messages have the seeds. */
class TreeDemotionTest {
    private static final int SEEDS = 30;
    private static final int CHANGES = 25;

    private static List<BroadcastTree> apply(
            TreeRepair repair,
            List<BroadcastTree> planned,
            List<BiFunction<TreeRepair, List<BroadcastTree>, List<BroadcastTree>>> changes) {
        List<BroadcastTree> trees = planned;
        for (BiFunction<TreeRepair, List<BroadcastTree>, List<BroadcastTree>> change : changes) {
            trees = change.apply(repair, trees);
        }
        return trees;
    }

    /** The trees reach all workers once, no demoted worker has a child, and all nodes compute the same trees. */
    @Drawn
    @ParameterizedTest
    @ValueSource(strings = {"auto", "chain", "rotated:2", "rotated:3,6", "shared:2", "p3:3,6", "stripes", "flat"})
    void demotedWorkersAreLeaves(String name) {
        TreePlanner planner = TreePlanners.named(name);
        for (long seed : Seeds.of(SEEDS)) {
            SplittableRandom random = new SplittableRandom(-seed);
            RandomCluster cluster = RandomCluster.of(seed, false);
            List<BroadcastTree> planned = cluster.planned(planner, cluster.workers());
            TreeRepair repair = cluster.repair(planner);
            List<BiFunction<TreeRepair, List<BroadcastTree>, List<BroadcastTree>>> changes = new ArrayList<>();
            List<Place> living = new ArrayList<>(cluster.workers());
            List<Place> gone = new ArrayList<>();
            Set<Integer> demoted = new HashSet<>();
            List<BroadcastTree> trees = planned;
            for (int change = 0; change < CHANGES; change++) {
                Place any = living.get(random.nextInt(living.size()));
                List<BroadcastTree> before = trees;
                String context = name + ", seed " + seed + ", change " + change + ", before " + before;
                int what = random.nextInt(5);
                if (0 == what && living.size() > 1) {
                    living.remove(any);
                    gone.add(any);
                    changes.add((each, now) -> each.without(now, any.node()));
                } else if (1 == what && !gone.isEmpty()) {
                    Place back = gone.removeFirst();
                    living.add(back);
                    demoted.remove(back.node());
                    changes.add((each, now) -> each.with(now, back));
                } else {
                    demoted.add(any.node());
                    changes.add((each, now) -> each.demote(now, any.node()));
                }
                trees = changes.getLast().apply(repair, before);
                if (what > 1) {
                    requireOnlyChildrenMove(before, trees, any.node(), context);
                }
                Set<Integer> there = living.stream().map(Place::node).collect(Collectors.toSet());
                for (BroadcastTree tree : trees) {
                    TreeRepairTest.requireSound(tree, there, context);
                    assertTrue(
                            tree.hops().stream().allMatch(hop -> hop.sharedMemory() || !demoted.contains(hop.from())),
                            () -> demoted + " have children in " + tree + ", " + context);
                }
            }
            assertEquals(trees, apply(cluster.repair(planner), planned, changes), name + ", seed " + seed);
        }
    }

    private static void requireOnlyChildrenMove(
            List<BroadcastTree> before, List<BroadcastTree> after, int node, String context) {
        for (int i = 0; i < before.size(); i++) {
            List<Hop> left = new ArrayList<>(before.get(i).hops());
            left.removeIf(hop -> hop.from() == node && !hop.sharedMemory());
            List<Hop> added = new ArrayList<>(after.get(i).hops());
            assertTrue(added.containsAll(left), context);
            added.removeAll(left);
            assertEquals(before.get(i).hops().size() - left.size(), added.size(), context);
        }
    }

    private static double secondsOfSending(RandomCluster cluster, List<BroadcastTree> trees, int node) {
        double bytes = 0;
        for (BroadcastTree tree : trees) {
            bytes += tree.bytes() * TreeRepairNetworkTest.degree(tree, node);
        }
        return bytes / cluster.topology().hosts().get(cluster.host(node)).uplink();
    }

    /**
     * With equal links and plans that share the work, a demotion gains nothing at the full rate, and something at a
     * quarter of it where the uplink is as busy as any.
     */
    @ParameterizedTest
    @ValueSource(strings = {"auto", "rotated:2", "rotated:3"})
    void aDemotionGainsWhereAnUplinkIsSlow(String name) {
        TreePlanner planner = TreePlanners.named(name);
        int busy = 0;
        for (long seed : Seeds.of(SEEDS)) {
            RandomCluster cluster = RandomCluster.of(seed, true);
            List<BroadcastTree> trees = cluster.planned(planner, cluster.workers());
            TreeRepair repair = cluster.repair(planner);
            for (Place worker : cluster.workers()) {
                int node = worker.node();
                String context = name + ", seed " + seed + ", node " + node + ": " + trees;
                double now = secondsOfSending(cluster, trees, node);
                double times = repair.timeIfDemoted(trees, node, 1);
                double after = cluster.finish(cluster.repair(planner).demote(trees, node), -1);
                assertEquals(after / now, times, 1e-9 * times, context);
                assertTrue(times > 0.99, () -> times + " at its full rate, " + context);
                if (now > 0.9 * cluster.finish(trees, -1)) {
                    busy++;
                    double quarter = repair.timeIfDemoted(trees, node, 0.25);
                    assertTrue(quarter <= 0.6, () -> quarter + " at a quarter of its rate, " + context);
                }
                assertEquals(
                        cluster.repair(planner).without(trees, node),
                        repair.without(trees, node),
                        "the question changes nothing, " + context);
            }
        }
        assertTrue(busy > 0);
    }
}
