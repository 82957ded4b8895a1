package io.sluice.trials.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.perf.report.Progress;
import io.sluice.trials.control.ControlSimulation.Result;
import io.sluice.trials.control.ControlSimulationCommand.Summary;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The control plane keeps its invariants on a simulated clock and network. */
class ControlSimulationTest {
    private static final int SCHEDULES = 2_000;
    private static final int DRAWN = 1_500;
    private static final int LEAST_STEPS = 200;

    private static Summary run(long seed, int schedules) throws InterruptedException {
        try (Progress progress = new Progress(new PrintWriter(Writer.nullWriter()), schedules)) {
            int threads = Runtime.getRuntime().availableProcessors();
            return new Schedules(seed, schedules, threads, false).run(progress, _ -> {});
        }
    }

    private static void check(Summary summary) {
        assertTrue(
                summary.violations().isEmpty(),
                () -> summary.violations().size() + " schedules broke an invariant;"
                        + " replay one with: sluice perf control-simulation --schedules 1 --trace --seed "
                        + summary.violations().getFirst());
        assertTrue(summary.steps() / summary.schedules() >= LEAST_STEPS, () -> "steps: " + summary.steps());
        assertTrue(summary.faults() > summary.schedules(), () -> "faults: " + summary.faults());
        assertTrue(summary.jobsDone() > summary.schedules() / 4, () -> "jobs done: " + summary.jobsDone());
    }

    /** The first seed is new in each run; {@link #check} names the seeds of schedules that fail. */
    @Test
    @Tag("slow")
    void schedulesKeepTheInvariants() throws InterruptedException {
        check(run(ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE), SCHEDULES));
    }

    @Test
    void nodesWaitForOneThatStartsAMinuteLate() {
        for (long seed = 0; seed < 100; seed++) {
            Result result = ControlSimulation.run(seed, false, TimeUnit.MINUTES.toNanos(1));
            assertNull(result.violation(), "seed " + seed);
        }
    }

    @Test
    void aSeedRepeatsItsSchedule() {
        for (long seed = 7; seed < 27; seed++) {
            Result first = ControlSimulation.run(seed, true);
            assertFalse(first.trace().isEmpty());
            assertEquals(first, ControlSimulation.run(seed, true), "seed " + seed);
        }
    }

    @Test
    void scenariosVary() {
        int several = 0;
        int elastic = 0;
        int snapshots = 0;
        int secret = 0;
        for (long seed = 0; seed < DRAWN; seed++) {
            Scenario scenario = Scenario.draw(new Random(seed));
            ClusterSettings settings = scenario.settings();
            several += scenario.coordinators() > 1 ? 1 : 0;
            elastic += settings.isElastic() ? 1 : 0;
            snapshots += scenario.snapshotClocks() > 0 ? 1 : 0;
            secret += scenario.secret() ? 1 : 0;
        }
        assertTrue(several > DRAWN / 10 && elastic > DRAWN / 10 && snapshots > DRAWN / 10 && secret > 10);
    }
}
