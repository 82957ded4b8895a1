package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.membership.LocalMembers;
import io.sluice.console.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A cluster put together by hand, one command for each process. */
@Tag("slow")
@Timeout(400)
@EnabledOnOs(value = OS.LINUX, disabledReason = "uses /dev/shm")
class ByHandTest {

    @ParameterizedTest
    @ValueSource(strings = {"dedicated", "invoker"})
    void trainsAsTheReferenceDoes(String threading) {
        String reference = LrRun.hash(LrRun.report(HandMade.training("--workers", 2, "--reference")));
        Path directory = Path.of("/dev/shm", "sluice-test-" + UUID.randomUUID());
        String cluster = "127.0.0.1:" + freePort();
        try (CliRun driver = Cli.plain().start("driver", "--aeron-dir", directory)) {
            driver.awaitOut("media driver in " + directory);
            HandMade nodes = new HandMade(cluster);
            try (nodes) {
                nodes.worker(Cli.plain(), directory);
                nodes.coordinator(
                        Cli.plain(),
                        directory,
                        "--workers",
                        2,
                        "--servers",
                        2,
                        "--filter",
                        "none",
                        "--threading",
                        threading);
                nodes.server(Cli.plain(), directory, "--threading", threading);
                nodes.worker(Cli.plain(), directory);
                assertEquals(List.of(reference, reference), nodes.hashes());
                nodes.assertServersEnd();
            }
            assertTrue(driver.isAlive(), "the driver serves on");
            driver.interrupt();
            assertEquals(ExitCode.INTERRUPTED, driver.exitCode(), driver::toString);
        }
        assertFalse(Files.exists(directory));
    }

    /** Which of the two is refused depends on which of them joins first. */
    @Test
    void aWorkerWithAnotherLearningRateIsRefused() {
        Path directory = Path.of("/dev/shm", "sluice-test-" + UUID.randomUUID());
        String cluster = "127.0.0.1:" + freePort();
        Object[] worker = {"worker", "lr", "--cluster", cluster, "--aeron-dir", directory, "--features", 1 << 16};
        try (CliRun driver = Cli.plain().start("driver", "--aeron-dir", directory)) {
            driver.awaitOut("media driver in " + directory);
            assertRefusesOne(cluster, directory, worker);
        }
    }

    private static void assertRefusesOne(String cluster, Path directory, Object... worker) {
        try (CliRun server = Cli.plain()
                        .start(
                                "server",
                                "--coordinate",
                                "--cluster",
                                cluster,
                                "--aeron-dir",
                                directory,
                                "--workers",
                                2);
                CliRun one = Cli.plain().start(with(worker, "--index", 0, "--learning-rate", 100));
                CliRun other = Cli.plain().start(with(worker, "--index", 1, "--learning-rate", 7))) {
            String opened = ", with the media driver in " + directory + "; it waits up to 60 s for all nodes to join";
            server.awaitOut("server 0 coordinates a cluster (servers: 2, workers: 2) at " + cluster + opened);
            one.awaitOut("worker 0 joins the cluster at " + cluster + opened);
            while (one.isAlive() && other.isAlive()) {
                LockSupport.parkNanos(10_000_000);
            }
            CliRun refused = one.isAlive() ? other : one;
            assertEquals(ExitCode.CLUSTER, refused.exitCode(), refused::toString);
            assertTrue(
                    refused.err()
                            .matches("(?s).*worker [01] declares learning rate [\\d.]+, but worker [01] declares"
                                    + " learning rate [\\d.]+: start all workers with the same learning rate.*"),
                    refused.err());
            assertTrue(server.isAlive(), "the others wait for a worker that fits");
        }
    }

    private static Object[] with(Object[] first, Object... more) {
        return Stream.concat(Stream.of(first), Stream.of(more)).toArray();
    }

    static int freePort() {
        return LocalMembers.free(1).getFirst().port();
    }
}
