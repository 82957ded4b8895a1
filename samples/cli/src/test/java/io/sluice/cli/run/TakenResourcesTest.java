package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.console.ExitCode;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Resources that another process uses, or that the machine lacks. */
@Timeout(400)
class TakenResourcesTest {
    private final Path directory = Path.of("/dev/shm", "sluice-test-" + UUID.randomUUID());

    @TempDir
    private Path folder;

    @AfterEach
    void nothingIsLeft() {
        assertFalse(Files.exists(directory), directory + " is left behind");
    }

    @Test
    void theCoordinatorsPort() throws IOException {
        try (DatagramSocket taken = new DatagramSocket(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
                CliRun run = Cli.plain()
                        .start(
                                "server",
                                "--coordinate",
                                "--cluster",
                                "127.0.0.1:" + taken.getLocalPort(),
                                "--aeron-dir",
                                directory)) {
            String said = run.assertRefused(ExitCode.UNAVAILABLE);
            assertTrue(said.contains("127.0.0.1:" + taken.getLocalPort() + ": another process already does"), said);
        }
    }

    @Tag("slow")
    @Test
    void theDriversDirectory() {
        try (CliRun first = Cli.plain().start("driver", "--aeron-dir", directory)) {
            first.awaitOut("media driver in " + directory);
            try (CliRun second = Cli.plain().start("driver", "--aeron-dir", directory)) {
                String said = second.assertRefused(ExitCode.UNAVAILABLE);
                assertTrue(
                        said.startsWith("sluice: a media driver already runs in " + directory + " (process "
                                + first.pid() + ")"),
                        said);
            }
            try (CliRun job = Cli.plain().start("train", "lr", "--aeron-dir", directory)) {
                String said = job.assertRefused(ExitCode.UNAVAILABLE);
                assertTrue(said.contains("a media driver already runs in " + directory), said);
            }
            assertTrue(first.isAlive(), "the first was not disturbed");
            first.interrupt();
            assertEquals(ExitCode.INTERRUPTED, first.exitCode(), first::toString);
        }
    }

    /** The directory belongs to the driver that will be started again there. */
    @Test
    void aChildDoesNotReplaceADeadDriver() throws IOException {
        String cluster = "127.0.0.1:" + ByHandTest.freePort();
        try (CliRun child = Cli.plain()
                .start("server", "--attached", "--coordinate", "--cluster", cluster, "--aeron-dir", directory)) {
            String said = child.assertRefused(ExitCode.UNAVAILABLE);
            assertTrue(said.startsWith("sluice: no media driver runs in " + directory), said);
        }
    }

    @Test
    void aDirectoryWithFilesOfOthers() throws IOException {
        Path precious = Files.writeString(folder.resolve("thesis.txt"), "precious");
        try (CliRun run = Cli.plain().start("driver", "--aeron-dir", folder)) {
            assertTrue(run.assertRefused(ExitCode.UNAVAILABLE).contains("thesis.txt"));
        }
        assertEquals("precious", Files.readString(precious));
    }

    @Test
    void sharedMemory() throws IOException {
        Root.assume("a small file system", "mount", "umount");
        Root.Result mounted = Root.attempt("mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", folder.toString());
        assumeTrue(mounted.code() == 0, "a small file system cannot be mounted here: " + mounted.said());
        try (CliRun run = Cli.plain().start("train", "lr", "--aeron-dir", folder.resolve("aeron"))) {
            String said = run.assertRefused(ExitCode.UNAVAILABLE);
            assertTrue(said.contains("MiB for logs but its file system has 16 MiB free"), said);
            assertTrue(said.contains("docker run --shm-size"), said);
            try (Stream<Path> left = Files.list(folder)) {
                assertEquals(0, left.count(), "nothing is left in it");
            }
        } finally {
            Root.run("umount", folder.toString());
        }
    }

    @Test
    void aWorkerWithoutACoordinatorGivesUp() {
        try (CliRun run = Cli.plain()
                .withJvmOptions("-Dsluice.answer.timeout=1s")
                .start("worker", "lr", "--cluster", "127.0.0.1:9", "--aeron-dir", directory)) {
            String said = run.assertRefused(ExitCode.CLUSTER);
            assertTrue(said.startsWith("sluice: no coordinator answered at 127.0.0.1:9 within 1 s"), said);
        }
    }

    @Test
    @Tag("slow")
    void aServerWithoutWorkersGivesUp() throws IOException {
        String cluster = "127.0.0.1:" + ByHandTest.freePort();
        try (CliRun run = Cli.plain()
                .start("server", "--coordinate", "--wait-s", 1, "--cluster", cluster, "--aeron-dir", directory)) {
            String said = run.assertRefused(ExitCode.CLUSTER);
            assertTrue(said.startsWith("sluice: the cluster at " + cluster + " was not complete within 1 s"), said);
        }
    }
}
