package io.sluice.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.console.ExitCode;
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

    @Test
    void eachKindOfRacksIsDrawnByItself() throws IOException {
        PerfRun run = PerfRun.of(
                "simulate",
                "--workers",
                "8,16",
                "--bytes",
                "4MiB",
                "--rack",
                "4",
                "--tree",
                "flat;chain",
                "--oversubscription",
                "1,4",
                "--json",
                folder.resolve("rows.json"),
                "--plot",
                folder.resolve("simulated.svg"));
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        JsonNode rows = PerfRun.json(folder.resolve("rows.json")).path("rows");
        assertEquals(8, rows.size());
        assertEquals(4.0, rows.get(0).path("ratio_to_wire").asDouble(), 0.1, "flat: 8 workers, 2 servers");
        assertEquals(1.0, rows.get(3).path("oversubscription").asDouble());
        assertEquals(4.0, rows.get(4).path("oversubscription").asDouble());
        for (String name : new String[] {"simulated-workers-1.svg", "simulated-workers-4.svg"}) {
            assertTrue(Files.readString(folder.resolve(name)).contains("<svg"), name);
            assertTrue(run.out().contains("drawn: " + folder.resolve(name)), run.out());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "--workers, 0, '--workers is 0, expected 1 to 90000'",
        "--tree, trees, 'tree is ''trees'', expected one of auto'",
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
