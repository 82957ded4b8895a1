package io.sluice.tree.planning;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.ortools.Loader;
import io.sluice.tree.Seeds;
import io.sluice.tree.spi.BroadcastJob;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares the planner of P3 with proven optima. */
class CheapestTreeOracleTest {
    /** Share above the optimum at which nearly all searches end. */
    private static final double GAP = 0.03;

    /** Share above the optimum at which any search may end. */
    private static final double MOST = 0.25;

    private static final int CASES = 24;

    /** How many of the cases may exceed the gap: the search is a heuristic, and jobs are random. */
    private static final int EXCEPTIONS = 5;

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
        List<String> beyond = new ArrayList<>();
        for (long seed : Seeds.of(CASES)) {
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
            assertTrue(objective <= optimum * (1 + MOST) + ROUNDING, which);
            if (objective > optimum * (1 + GAP) + ROUNDING) {
                beyond.add(which);
            }
            assertTrue(planner.bound(job) <= optimum + ROUNDING, which);
            optimal += objective <= optimum + ROUNDING ? 1 : 0;
        }
        assertTrue(beyond.size() <= EXCEPTIONS, beyond::toString);
        assertTrue(optimal >= (CASES - beyond.size()) * 3 / 4, optimal + " of " + CASES + " plans are optimal");
    }
}
