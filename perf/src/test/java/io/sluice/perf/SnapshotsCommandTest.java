package io.sluice.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.console.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SnapshotsCommandTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "--params, 9, '--params is 9'",
        "--clocks, 1, '--clocks is 1'",
        "--interval, 0, '--interval is 0'",
        "--changed, 0, '--changed is 0, expected more than 0, up to 1'",
        "--folder, /no/such/folder, '--folder /no/such/folder'",
        "--json, /no/such/folder/x.json, '--json /no/such/folder/x.json'",
    })
    void refusesWhatIsOutOfRange(String option, String value, String message) {
        PerfRun run = PerfRun.of("run", "snapshots", option + "=" + value);
        assertEquals(ExitCode.USAGE, run.exitCode(), run::err);
        assertTrue(run.err().startsWith("sluice: " + message), run::err);
    }

    /** When a tenth of the model changes, increments write a tenth of its bytes. */
    @Test
    @Tag("slow")
    @Timeout(300)
    void measuresEveryWay() throws IOException {
        Path json = folder.resolve("snapshots.json");
        Path space = Files.createDirectory(folder.resolve("space"));
        PerfRun run = PerfRun.of(
                "run",
                "snapshots",
                "--params=400000",
                "--clocks=900",
                "--interval=10",
                "--rounds=1",
                "--folder=" + space,
                "--json=" + json);
        assertEquals(ExitCode.OK, run.exitCode(), run::err);
        JsonNode rows = PerfRun.json(json).get("rows");
        assertEquals(4, rows.size(), rows::toString);
        JsonNode whole = rows.get(2);
        JsonNode increments = rows.get(3);
        assertEquals("whole", whole.get("way").asText());
        assertEquals(0, rows.get(0).get("snapshots").asInt());
        assertTrue(whole.get("snapshots").asInt() >= 2, whole::toString);
        for (int i = 0; i < 4; i++) {
            assertTrue(rows.get(i).get("identical").asBoolean(), rows::toString);
        }
        assertTrue(
                increments.get("bytes_per_snapshot").asDouble()
                        < whole.get("bytes_per_snapshot").asDouble(),
                rows::toString);
        try (Stream<Path> left = Files.list(space)) {
            assertEquals(0, left.count(), "snapshots are left");
        }
    }

    @Test
    @Tag("slow")
    @Timeout(300)
    void aServerThatIsKilledServesAgain() throws IOException {
        Path json = folder.resolve("recovery.json");
        Path space = Files.createDirectory(folder.resolve("space"));
        PerfRun run = PerfRun.of(
                "run", "recovery", "--params=400000", "--interval=10", "--folder=" + space, "--json=" + json);
        assertEquals(ExitCode.OK, run.exitCode(), run::err);
        JsonNode recovery = PerfRun.json(json).get("rows").get(0);
        assertEquals(400_000, recovery.get("params").asInt());
        assertTrue(recovery.get("killed_at").asLong() > 10, recovery::toString);
        assertTrue(recovery.get("seconds").asDouble() > 0, recovery::toString);
        try (Stream<Path> left = Files.list(space)) {
            assertEquals(0, left.count(), "snapshots are left");
        }
    }
}
