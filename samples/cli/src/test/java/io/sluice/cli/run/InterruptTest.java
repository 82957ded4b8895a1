package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.cli.ExitCode;
import java.nio.file.Files;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Ctrl-C in {@code sluice train}. */
@Timeout(180)
@EnabledOnOs(value = OS.LINUX, disabledReason = "looks into /proc and /dev/shm")
class InterruptTest {
    private static final Duration SOON = Duration.ofSeconds(10);

    private static void assertEndsInPeace(CliRun run) {
        long interruptedNs = System.nanoTime();
        run.interrupt();
        assertEquals(ExitCode.INTERRUPTED, run.exitCode(SOON), run::toString);
        run.assertNothingLeft();
        System.out.printf("interrupted: all over %d ms later%n", Until.millisSince(interruptedNs));
        assertTrue(run.complaints().size() <= 1, () -> "at most one line: " + run);
        assertTrue(run.complaints().stream().noneMatch(line -> line.contains("rror")), run::toString);
    }

    @Test
    void endsATrainingJob() {
        try (CliRun run = EndlessJob.training()) {
            assertTrue(Files.exists(run.jobDirectory()));
            assertEndsInPeace(run);
        }
    }

    @Test
    void endsAJobWhoseNodesAreStillStarting() {
        try (CliRun run = EndlessJob.start()) {
            Until.isSo(CliRun.PATIENCE, () -> run.children() > 0, run::toString);
            assertEndsInPeace(run);
        }
    }
}
