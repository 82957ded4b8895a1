package io.sluice.djl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.cli.Sluice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code train cnn} as a whole job: the bits of one process that sums the half batches of two workers. */
@Tag("slow")
@Timeout(300)
class CnnJobTest {
    private static final String JOB = "--workers 2 --servers 1 --clocks 100 --batch 16";

    private static JsonNode reference;

    @TempDir
    private Path folder;

    @BeforeAll
    static void runReference(@TempDir Path folder) throws IOException {
        reference = train(folder.resolve("reference.json"), JOB + " --reference");
    }

    private static JsonNode train(Path json, String options) throws IOException {
        List<String> command = new ArrayList<>(List.of("train", "cnn", "--json", json.toString()));
        command.addAll(Arrays.asList(options.split(" ")));
        assertEquals(0, Sluice.run(command.toArray(String[]::new)), options);
        return new ObjectMapper().readTree(json.toFile());
    }

    private static void assertMeetsTheReference(JsonNode job) {
        assertEquals(reference.get("replica_hash"), job.get("replica_hash"));
        assertTrue(job.get("replicas_identical").asBoolean(), job::toString);
        for (String same : List.of("test_loss", "test_accuracy")) {
            assertEquals(reference.get(same), job.get(same), same);
        }
    }

    @Test
    void meetsTheReferenceBitForBit() throws IOException {
        JsonNode job = train(folder.resolve("job.json"), JOB);
        assertMeetsTheReference(job);
        assertEquals("cnn", job.get("workload").asText());
        assertEquals("planted", job.get("dataset").asText());
        for (String figure : List.of(
                "test_accuracy",
                "images_per_second",
                "single_process_images_per_second",
                "bytes_pushed",
                "bytes_broadcast",
                "seconds")) {
            assertTrue(job.get(figure).asDouble() > 0, figure);
        }
        double single = job.get("single_process_images_per_second").asDouble();
        double ofTwo = job.get("images_per_second").asDouble();
        assertEquals(2 * single / ofTwo - 1, job.get("step_overhead").asDouble(), 1e-9);
    }

    @Test
    @EnabledOnOs(value = OS.LINUX, disabledReason = "looks into /proc")
    void aKilledWorkerRejoinsAndTheBitsAreThoseOfAnUndisturbedJob() throws IOException {
        Path snapshots = folder.resolve("snapshots");
        String waits = " --backward layers --on-death wait --snapshot-every 20 --snapshots " + snapshots;
        CompletableFuture<Boolean> killed = CompletableFuture.supplyAsync(() -> killAfterSnapshot(snapshots));
        JsonNode job = train(folder.resolve("job.json"), JOB + waits);
        assertTrue(killed.join());
        assertMeetsTheReference(job);
        assertEquals(1, job.get("nodes_started_again").asInt(), job::toString);
    }

    /** Kills worker 1 once it has taken a snapshot. */
    private static boolean killAfterSnapshot(Path snapshots) {
        long deadlineNs = System.nanoTime() + Duration.ofSeconds(150).toNanos();
        while (System.nanoTime() - deadlineNs < 0) {
            if (hasSnapshot(snapshots.resolve("worker-1"))) {
                return ProcessHandle.current()
                        .descendants()
                        .filter(child -> commandLine(child).contains("worker cnn --index 1"))
                        .findFirst()
                        .orElseThrow()
                        .destroyForcibly();
            }
            LockSupport.parkNanos(1_000_000);
        }
        return false;
    }

    private static boolean hasSnapshot(Path ofNode) {
        try (Stream<Path> files = Files.list(ofNode)) {
            return files.anyMatch(file -> file.toString().endsWith(".snapshot"));
        } catch (IOException e) {
            return false; // there is no folder yet
        }
    }

    private static String commandLine(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc", String.valueOf(process.pid()), "cmdline"))
                    .replace('\0', ' ');
        } catch (IOException e) {
            return ""; // the process is over
        }
    }
}
