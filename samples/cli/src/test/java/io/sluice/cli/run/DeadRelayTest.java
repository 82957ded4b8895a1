package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code kill -9} of relays in a job that may shrink: other nodes adopt their children. */
@Timeout(400)
@EnabledOnOs(value = OS.LINUX, disabledReason = "looks into /proc and /dev/shm")
class DeadRelayTest {

    private static void assertContinuesWithout(String tree, int... workers) {
        List<Object> command = new ArrayList<>(List.of("train", "lr", "--workers", 4, "--servers", 2));
        command.addAll(List.of("--features", 1 << 14, "--batch", 16, "--clocks", 2_000, "--liveness-ms", 5_000));
        command.addAll(List.of("--transport", "udp", "--tree", tree, "--on-death", "shrink"));
        try (CliRun run = Cli.plain().start(command.toArray())) {
            run.awaitTraining();
            for (int worker : workers) {
                assertTrue(run.child("worker lr --index " + worker).destroyForcibly());
            }
            run.assertFine();
            for (int worker : workers) {
                assertTrue(run.out().contains("worker " + worker + " was lost"), run::toString);
            }
            assertTrue(run.out().contains(4 - workers.length + " of 4 workers finished"), run::toString);
            assertTrue(run.out().contains("replicas identical"), run::toString);
        }
    }

    /** In both chains the worker of the lowest number, or the next one, has a descendant. */
    @Test
    @Tag("trial")
    void aChainClosesUp() {
        assertContinuesWithout("chain", 1);
    }

    @Test
    @Tag("trial")
    void stripesCloseUpOverTwo() {
        assertContinuesWithout("stripes", 1, 3);
    }

    @ParameterizedTest
    @Tag("trial")
    @CsvSource({"chain, 0, 2", "rotated:2, 1, 2", "shared:2, 0, 1"})
    void twoAtOnce(String tree, int first, int second) {
        assertContinuesWithout(tree, first, second);
    }
}
