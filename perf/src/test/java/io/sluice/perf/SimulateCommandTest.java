package io.sluice.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SimulateCommandTest {
    @TempDir
    private Path folder;

    @Test
    void everyShapeIsSimulatedForEveryNumberOfWorkers() throws IOException {
        Path json = folder.resolve("rows.json");
        PerfRun run = PerfRun.of(
                "simulate", "--workers", "4,8", "--bytes", "4MiB", "--tree", "flat;rotated:2;chain", "--json", json);
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        JsonNode rows = PerfRun.json(json).path("rows");
        assertEquals(6, rows.size());
        assertEquals(4.0, rows.get(3).path("ratio_to_bound").asDouble(), 0.1, "flat: 8 workers, 2 servers");
        assertEquals(1.0, rows.get(4).path("ratio_to_bound").asDouble(), 0.15, "rotated");
        assertTrue(run.out().contains("8 workers, 2 servers, 4,194,304 bytes"), run.out());
    }

    @ParameterizedTest
    @CsvSource({
        "--workers, 0, '--workers is 0, expected 1 to 90000'",
        "--tree, trees, 'strategy is ''trees'', expected one of auto'",
        "--oversubscription, NaN, '--oversubscription is NaN, expected 0 to 1000'",
        "--bytes, 1, '--bytes is 1 in frames of 65536'",
    })
    void whatIsWrongIsSaid(String option, String value, String message) {
        PerfRun run = PerfRun.of("simulate", option, value);
        assertEquals(ExitCode.USAGE, run.exitCode());
        assertTrue(run.err().startsWith("sluice: " + message), run.err());
    }

    @Test
    void aMatrixOfBandwidthsIsRefused() throws IOException {
        Path file = Files.writeString(folder.resolve("net.yaml"), """
            edges:
              - {name: rack, hosts: [a, b, c]}
            bandwidth:
              - {from: a, to: b, rate: 10mbit}
            """);
        PerfRun run = PerfRun.of("simulate", "--topology", file);
        assertEquals(ExitCode.USAGE, run.exitCode());
        assertTrue(run.err().startsWith("sluice: --topology " + file + " has a 'bandwidth' of 1 pairs"), run.err());
    }
}
