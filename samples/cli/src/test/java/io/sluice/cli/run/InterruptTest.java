package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.console.ExitCode;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Ctrl-C ends {@code sluice train}. */
@Timeout(400)
@EnabledOnOs(value = OS.LINUX, disabledReason = "looks into /proc and /dev/shm")
class InterruptTest {
    private static final Duration SOON = Duration.ofSeconds(30);

    static List<List<String>> modes() {
        return List.of(List.of(), List.of("--processes"));
    }

    private static void assertEndsInPeace(CliRun run) {
        long interruptedNs = System.nanoTime();
        run.interrupt();
        assertEquals(ExitCode.INTERRUPTED, run.exitCode(SOON), run::toString);
        run.assertNothingLeft();
        System.out.printf("interrupted: all over %d ms later%n", Until.millisSince(interruptedNs));
        assertTrue(run.complaints().size() <= 1, () -> "at most one line: " + run);
        assertTrue(run.complaints().stream().noneMatch(line -> line.contains("rror")), run::toString);
    }

    @Tag("slow")
    @ParameterizedTest
    @MethodSource("modes")
    void endsATrainingJob(List<String> mode) {
        try (CliRun run = EndlessJob.training(mode.toArray())) {
            assertTrue(Files.exists(run.jobDirectory()));
            assertEndsInPeace(run);
        }
    }

    @Tag("slow")
    @ParameterizedTest
    @MethodSource("modes")
    void endsAJobWhoseNodesAreStillStarting(List<String> mode) {
        try (CliRun run = EndlessJob.start(mode.toArray())) {
            Until.isSo(CliRun.PATIENCE, () -> Files.exists(run.jobDirectory()), run::toString);
            assertEndsInPeace(run);
        }
    }
}
