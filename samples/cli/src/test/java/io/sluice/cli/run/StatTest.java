package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.console.ExitCode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Observing a job from another process. */
@Tag("slow")
@Timeout(300)
class StatTest {
    private static final int COLUMNS = 100;

    @TempDir
    private Path folder;

    private final ObjectMapper mapper = new ObjectMapper();

    private CliRun stat(Path directory, Object... more) {
        Object[] arguments = new Object[3 + more.length];
        System.arraycopy(new Object[] {"stat", "--aeron-dir", directory}, 0, arguments, 0, 3);
        System.arraycopy(more, 0, arguments, 3, more.length);
        return Cli.plain().start(arguments);
    }

    private JsonNode once(Path directory) throws IOException {
        try (CliRun run = stat(directory, "--once", "--json")) {
            assertEquals(0, run.exitCode(), run::toString);
            assertEquals(1, run.out().lines().count(), run::toString);
            return mapper.readTree(run.out());
        }
    }

    private static long pushed(JsonNode reading) {
        long bytes = 0;
        for (JsonNode link : reading.get("links")) {
            if (link.get("name").asText().matches("worker \\d+ to server \\d+")) {
                for (JsonNode kind : link.get("bytes_sent")) {
                    bytes += kind.asLong();
                }
            }
        }
        return bytes;
    }

    private static long clocks(JsonNode reading) {
        long clocks = 0;
        for (JsonNode node : reading.get("nodes")) {
            clocks += node.get("clock").asLong();
        }
        return clocks;
    }

    @Test
    void followsAJobWhileItRuns() throws IOException {
        try (CliRun job = EndlessJob.training()) {
            assertEquals(0, job.children(), "its nodes are threads");
            JsonNode first = once(job.jobDirectory());
            Set<String> nodes = new HashSet<>();
            first.get("nodes").forEach(node -> nodes.add(node.get("name").asText()));
            assertEquals(Set.of("server 0", "server 1", "worker 0", "worker 1"), nodes);
            assertTrue(pushed(first) > 0 && clocks(first) > 0, first.toString());
            JsonNode second = once(job.jobDirectory());
            assertTrue(pushed(second) > pushed(first) && clocks(second) > clocks(first), second.toString());

            try (CliRun table = stat(job.jobDirectory(), "--count", 3, "--interval", 0.2)) {
                assertEquals(0, table.exitCode(), table::toString);
                List<String> lines = table.out().lines().toList();
                assertEquals(
                        3,
                        lines.stream().filter(line -> line.startsWith("link ")).count());
                assertTrue(lines.stream().allMatch(line -> line.length() <= COLUMNS), table::toString);
                assertTrue(lines.stream().anyMatch(line -> line.startsWith("worker 1 to server 0 ")));
            }
            try (CliRun endless = stat(job.jobDirectory())) {
                endless.awaitOut("worker 0 to server 1");
                endless.interrupt();
                assertEquals(ExitCode.INTERRUPTED, endless.exitCode(), endless::toString);
                assertEquals("", endless.err(), "nothing to complain of");
            }
            try (CliRun left = stat(job.jobDirectory())) {
                left.awaitOut("worker 0 to server 1");
                job.interrupt();
                assertEquals(ExitCode.UNAVAILABLE, left.exitCode(), left::toString);
                assertEquals("sluice: the media driver in " + job.jobDirectory() + " is no longer running", left.err());
            }
        }
    }

    @Test
    void showsOutboxesAndRatesOfLinks() throws IOException {
        Object[] terms = {"--transport", "udp", "--order", "layer", "--budget-rate", "4mbit", "--filter", "none"};
        try (CliRun job = EndlessJob.training(terms)) {
            JsonNode reading = once(job.jobDirectory());
            int links = 0;
            for (JsonNode link : reading.get("links")) {
                if (link.get("name").asText().matches("(worker|server) \\d+ to (worker|server) \\d+")) {
                    links++;
                    for (String counter : List.of("queued_frames", "queued_bytes", "queue_age", "in_flight", "rate")) {
                        assertTrue(link.path(counter).asLong(-1) >= 0, counter + ": " + link);
                    }
                    assertTrue(link.get("budget_used").asLong() <= 262_144 + 65_536, link.toString());
                    boolean pushes = link.get("name").asText().startsWith("worker");
                    assertEquals(pushes, link.has("frames_merged"), "servers never take back: " + link);
                }
            }
            assertEquals(8, links, "each of 2 workers and 2 servers, both ways: " + reading);
            try (CliRun table = stat(job.jobDirectory(), "--count", 2, "--interval", 0.5)) {
                assertEquals(0, table.exitCode(), table::toString);
                List<String> lines = table.out().lines().toList();
                assertTrue(lines.stream().allMatch(line -> line.length() <= COLUMNS), table::toString);
                int outboxes = lines.lastIndexOf(lines.stream()
                        .filter(line -> line.startsWith("outbox "))
                        .findFirst()
                        .orElseThrow());
                assertTrue(lines.get(outboxes + 1).matches("server 0 to worker 0 .* [0-9]+ % .*"), table::toString);
            }
        }
    }

    @Test
    void neverCountsMoreThanTheReport() throws IOException {
        Path json = folder.resolve("report.json");
        Object[] training = {
            "train", "lr", "--json", json, "--clocks", 2_000, "--features", 1 << 14, "--batch", 16, "--workers", 2
        };
        try (CliRun job = Cli.plain().start(training)) {
            job.awaitTraining();
            try (CliRun stat = stat(job.jobDirectory(), "--json", "--interval", 0.05)) {
                assertEquals(ExitCode.UNAVAILABLE, stat.exitCode(), stat::toString);
                assertEquals(0, job.exitCode(), job::toString);
                long last = 0;
                long most = mapper.readTree(json.toFile()).get("bytes_pushed").asLong();
                for (String line : stat.out().lines().toList()) {
                    long pushed = pushed(mapper.readTree(line));
                    assertTrue(pushed <= most, line);
                    last = Math.max(last, pushed);
                }
                assertTrue(last > 0, stat::toString);
            }
        }
    }

    @Test
    void showsWhyNodesEnded() throws IOException {
        String cluster = "127.0.0.1:" + ByHandTest.freePort();
        Path directory = folder.resolve("aeron");
        try (CliRun driver = Cli.plain().start("driver", "--aeron-dir", directory)) {
            driver.awaitOut("media driver in");
            try (CliRun none = stat(directory, "--errors")) {
                assertEquals(0, none.exitCode(), none::toString);
                assertEquals("0 distinct errors", none.out().strip());
            }
            Object[] serving = {
                "server", "--coordinate", "--cluster", cluster, "--aeron-dir", directory, "--servers", 1, "--workers", 1
            };
            Object[] training = {"worker", "lr", "--cluster", cluster, "--aeron-dir", directory, "--clocks", 100_000_000
            };
            try (CliRun server = Cli.plain().start(serving);
                    CliRun worker = Cli.plain().start(training)) {
                worker.awaitOut("worker 0: clock");
                worker.kill();
                assertEquals(ExitCode.CLUSTER, server.exitCode(), server::toString);
            }
            try (CliRun errors = stat(directory, "--errors")) {
                assertEquals(0, errors.exitCode(), errors::toString);
                assertTrue(errors.out().contains("worker 0 has been silent"), errors::toString);
                assertTrue(errors.out().contains("1 times from "), errors::toString);
            }
        }
    }
}
