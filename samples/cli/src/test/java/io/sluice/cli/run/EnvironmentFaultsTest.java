package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.console.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A fault of the machine affects a process: it reports the fault, and the others continue as far as possible. */
@Tag("slow")
@Timeout(400)
class EnvironmentFaultsTest {
    private static final Object[] TRAINING = {
        "--workers", 2, "--servers", 2, "--features", 1 << 14, "--batch", 16, "--clocks", 1_200, "--filter", "none"
    };

    private static final String FULL = "No space left on device";
    private static final long PATIENCE_MS = 60_000;
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(10);

    @TempDir
    private Path folder;

    @Test
    void aDiskThatFillsUpCostsSnapshotsAndNothingElse() throws IOException {
        try (SmallDisk disk = new SmallDisk(folder.resolve("snapshots"), 8)) {
            Path json = folder.resolve("report.json");
            Path snapshots = Files.createDirectory(disk.folder().resolve("job"));
            Object[] command =
                    with(List.of("train", "lr", "--json", json, "--snapshots", snapshots, "--snapshot-every", 100));
            try (CliRun run = cli().start(command)) {
                run.awaitTraining();
                assertEquals(4, run.children(), "snapshots need processes");
                fillUntilNoticed(disk, run);
                run.assertFine();
                assertTrue(run.err().contains(FULL), run::toString);
                long said = run.complaints().stream()
                        .filter(line -> line.contains(FULL))
                        .count();
                assertTrue(said <= 2 * 4, () -> "each node says it once, and the coordinator for all: " + run);
            }
            assertEquals(reference(), LrRun.hash(new ObjectMapper().readTree(json.toFile())));
        }
    }

    /** Fills the disk repeatedly, because old snapshots make room when they are deleted. */
    private static void fillUntilNoticed(SmallDisk disk, CliRun run) throws IOException {
        long startNs = System.nanoTime();
        while (!run.err().contains(FULL) && run.isAlive() && Until.millisSince(startNs) < PATIENCE_MS) {
            disk.fill();
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    @Test
    void aFolderThatCannotBeWrittenToIsNamedAtTheStart() throws IOException {
        try (SmallDisk disk = new SmallDisk(folder.resolve("snapshots"), 8)) {
            Path snapshots = disk.folder().resolve("job");
            disk.forbidWriting();
            try (CliRun run = cli().start(with(List.of("train", "lr", "--snapshots", snapshots)))) {
                String line = run.assertOneLine();
                assertEquals(ExitCode.UNAVAILABLE, run.exitCode(), run::toString);
                assertTrue(line.contains(snapshots.toString()), line);
                assertTrue(line.contains("cannot be used") || line.contains("cannot be written to"), line);
            }
        }
    }

    /** In a job started by hand, the faulty server ends with the reason, and the nodes that wait for it name it. */
    @Test
    void aNodeWhoseFolderCannotBeWrittenToEndsAlone() throws IOException {
        String cluster = "127.0.0.1:" + ByHandTest.freePort();
        Path aeron = folder.resolve("aeron");
        List<Object> place = List.of("--cluster", cluster, "--aeron-dir", aeron, "--wait-s", 10, "--snapshots");
        List<Object> good = new ArrayList<>(List.of("server", "--coordinate", "--workers", 1, "--servers", 2));
        good.addAll(place);
        good.add(folder.resolve("good"));
        List<Object> bad = new ArrayList<>(List.of("server", "--index", 1));
        bad.addAll(place);
        try (SmallDisk disk = new SmallDisk(folder.resolve("snapshots"), 8);
                CliRun driver = cli().start("driver", "--aeron-dir", aeron)) {
            driver.awaitOut("media driver in");
            Path snapshots = disk.folder().resolve("job");
            bad.add(snapshots);
            disk.forbidWriting();
            try (CliRun server = cli().start(good.toArray());
                    CliRun other = cli().start(bad.toArray())) {
                String line = other.assertOneLine();
                assertEquals(ExitCode.UNAVAILABLE, other.exitCode(), other::toString);
                assertTrue(line.contains("the snapshot folder " + snapshots), line);
                assertEquals(ExitCode.CLUSTER, server.exitCode(), server::toString);
                String waits = " s for server 1 and worker 0 to join";
                assertTrue(server.err().contains(waits), server::toString);
            }
        }
    }

    /** A running driver has no more room: a new node ends, and nodes that wait for it report that. */
    @Test
    void withoutSharedMemoryAProcessEndsWithAReason() throws IOException {
        String cluster = "127.0.0.1:" + ByHandTest.freePort();
        try (SmallDisk memory = new SmallDisk(folder.resolve("shm"), 256)) {
            Path small = memory.folder().resolve("aeron");
            Path large = folder.resolve("aeron");
            try (CliRun driver = cli().start("driver", "--aeron-dir", small);
                    CliRun other = cli().start("driver", "--aeron-dir", large)) {
                driver.awaitOut("media driver in");
                other.awaitOut("media driver in");
                memory.fill();
                try (CliRun server = cli().start(
                                        "server",
                                        "--coordinate",
                                        "--workers",
                                        1,
                                        "--servers",
                                        1,
                                        "--cluster",
                                        cluster,
                                        "--aeron-dir",
                                        large,
                                        "--wait-s",
                                        10);
                        CliRun worker = cli().start(
                                        "worker", "lr", "--cluster", cluster, "--aeron-dir", small, "--wait-s", 10)) {
                    String line = worker.assertOneLine();
                    assertEquals(ExitCode.UNAVAILABLE, worker.exitCode(), worker::toString);
                    assertTrue(line.contains(small.toString()), line);
                    assertTrue(line.contains("cannot allocate its log"), line);
                    assertTrue(driver.isAlive(), driver::toString);
                    assertEquals(ExitCode.CLUSTER, server.exitCode(), server::toString);
                    assertTrue(server.err().contains("was not complete within"), server::toString);
                }
            }
        }
    }

    /** Logs reserve their memory when they are opened, so later use of the file system does not affect them. */
    @Test
    void aDriversDirectoryThatFillsUpDoesNotDisturbARunningJob() throws IOException {
        try (SmallDisk memory = new SmallDisk(folder.resolve("shm"), 512)) {
            Path json = folder.resolve("report.json");
            Path aeron = memory.folder().resolve("aeron");
            try (CliRun run = cli().start(with(List.of("train", "lr", "--json", json, "--aeron-dir", aeron)))) {
                run.awaitTraining();
                memory.fill();
                run.assertFine();
            }
            assertEquals(reference(), LrRun.hash(new ObjectMapper().readTree(json.toFile())));
        }
    }

    /** Logs take their memory when they open, as is the default; not so in other tests. */
    private static Cli cli() {
        return Cli.plain().withJvmOptions("-Dsluice.driver.sparse.logs=false");
    }

    private static Object[] with(List<?> first) {
        List<Object> all = new ArrayList<>(first);
        all.addAll(Arrays.asList(TRAINING));
        return all.toArray();
    }

    private static String reference() {
        return LrRun.hash(LrRun.report(with(List.of("--reference"))));
    }
}
