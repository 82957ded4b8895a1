package io.sluice.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.console.ExitCode;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RepairCommandTest {
    private static final double LIVENESS = 1.5;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "--workers, 2, '--workers is 2'",
        "--params, 9, '--params is 9'",
        "--every, 0, '--every is 0'",
        "--liveness-ms, 50, '--liveness-ms is 50'",
        "--rounds, 0, '--rounds is 0'",
        "--tree, flat, '--tree is flat and --workers 6, expected a tree'",
        "--consistency, none, 'consistency is ''none'''",
        "--json, /no/such/folder/x.json, '--json /no/such/folder/x.json'",
    })
    void refusesWhatIsOutOfRange(String option, String value, String message) {
        PerfRun run = PerfRun.of("run", "repair", option + "=" + value);
        assertEquals(ExitCode.USAGE, run.exitCode(), run::err);
        assertTrue(run.err().startsWith("sluice: " + message), run::err);
    }

    /**
     * The test kills a relay. Only its descendants request missing frames. No worker waits for a version for longer
     * than it takes to detect the death plus one liveness time.
     */
    @Test
    @Tag("slow")
    @Timeout(300)
    void onlyDescendantsOfTheDeadRelayMissFrames() throws IOException {
        Path json = folder.resolve("repair.json");
        PerfRun run = PerfRun.of(
                "run",
                "repair",
                "--rounds=1",
                "--params=2000",
                "--liveness-ms=" + (int) (LIVENESS * 1e3),
                "--json=" + json);
        assertEquals(ExitCode.OK, run.exitCode(), run::err);
        JsonNode rows = PerfRun.json(json).get("rows");
        assertEquals(4, rows.size(), rows::toString);
        for (JsonNode row : rows) {
            boolean orphan = row.get("subtree").asText().equals("orphan");
            assertEquals(orphan ? 2 : 3, row.get("workers").asInt(), row::toString);
            assertEquals(orphan, row.get("asked").asLong() > 0, row::toString);
            assertTrue(row.get("usual").asDouble() > 0, row::toString);
            if (!orphan) {
                double most = row.get("detection_max").asDouble() + LIVENESS;
                assertTrue(row.get("pause_max").asDouble() <= most, row::toString);
            }
        }
    }
}
