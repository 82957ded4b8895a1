package io.sluice.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.tree.planning.TreePlanners;
import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.Forest;
import io.sluice.tree.spi.TreePlanner;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Shows why repair after {@code auto} minimises the time alone. */
class AutoRepairTest {
    private static final int SEEDS = 150;

    /** Largest ratio of the times of two adopters that count as equally fast, with rounding. */
    private static final double TOLERANCE = 1.005 * (1 + 1e-9);

    /** Plans with {@code auto} and keeps a planner of the shape that it chose last. */
    private static final class Taken implements TreePlanner {
        private final TreePlanner auto = TreePlanners.named("auto");
        private TreePlanner taken;

        @Override
        public Forest plan(BroadcastJob job) {
            Forest forest = auto.plan(job);
            taken = TreePlanners.named(forest.strategy());
            return forest;
        }

        @Override
        public String name() {
            return auto.name();
        }
    }

    /** {@code auto} chooses a shape for its time; keeping the shape's limits would exclude faster adopters. */
    @Tag("slow")
    @Test
    void limitsOfTheShapeThatAutoTookWouldCostTime() {
        assertEquals(TreePlanner.Limits.NONE, TreePlanners.named("auto").limits());
        int limited = 0;
        int slower = 0;
        int faster = 0;
        double most = 1;
        double least = 1;
        for (long seed : Seeds.of(SEEDS)) {
            RandomCluster cluster = RandomCluster.of(seed, false);
            Taken planner = new Taken();
            List<BroadcastTree> trees = cluster.planned(planner, cluster.workers());
            TreePlanner.Limits limits = planner.taken.limits();
            if (limits.equals(TreePlanner.Limits.NONE)) {
                continue;
            }
            for (Place dead : cluster.workers()) {
                double free = cluster.finish(
                        cluster.repair(TreePlanner.Limits.NONE).without(trees, dead.node()), dead.node());
                double kept = cluster.finish(cluster.repair(limits).without(trees, dead.node()), dead.node());
                limited++;
                slower += kept > TOLERANCE * free ? 1 : 0;
                faster += free > TOLERANCE * kept ? 1 : 0;
                most = Math.max(most, kept / free);
                least = Math.min(least, kept / free);
            }
        }
        String seen = "of " + limited + " deaths, " + slower + " slower with limits, up to " + most + " times, "
                + faster + " faster, down to " + least;
        assertTrue(slower > 0 && slower > 2 * faster, seen);
    }
}
