package io.sluice.tree.planning;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.ortools.Loader;
import io.sluice.tree.Seeds;
import io.sluice.tree.spi.BroadcastJob;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares the planner of P3 with proven optima. */
class CheapestTreeOracleTest {
    /** Share above the optimum at which the search may end. */
    private static final double GAP = 0.03;

    private static final double ROUNDING = 1e-6;

    @BeforeAll
    static void load() {
        String platform = System.getProperty("os.name") + " " + System.getProperty("os.arch");
        assumeTrue(
                "Linux amd64".equals(platform),
                "OR-tools is on the class path for Linux amd64 alone, this is " + platform);
        Loader.loadNativeLibraries();
    }

    @Test
    @Tag("slow")
    void theTreeIsNearTheOptimumAndTheBoundBelowIt() {
        int optimal = 0;
        int cases = 24;
        for (long seed : Seeds.of(cases)) {
            BroadcastJob job = RandomJob.of(seed, false, true);
            int degree = 2 + (int) (seed % 4);
            int depth = 2;
            while (DepthLimit.reach(degree, depth) < job.receivers(0)) {
                depth++;
            }
            depth += (int) (seed % 2);
            CheapestTreePlanner planner = new CheapestTreePlanner(degree, depth, 0.2);
            double objective = planner.objective(job, planner.plan(job).trees().getFirst());
            double optimum = GroupedModel.optimum(job, degree, depth);
            String which = "seed " + seed + ": " + objective + ", optimum " + optimum + ", bound " + planner.bound(job);
            assertTrue(objective >= optimum - ROUNDING, which);
            assertTrue(objective <= optimum * (1 + GAP) + ROUNDING, which);
            assertTrue(planner.bound(job) <= optimum + ROUNDING, which);
            optimal += objective <= optimum + ROUNDING ? 1 : 0;
        }
        assertTrue(optimal >= cases * 3 / 4, optimal + " of " + cases + " plans are optimal");
    }
}
