package io.sluice.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.console.ExitCode;
import io.sluice.perf.lab.LabRoot;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Isolated("measures links of a stated rate")
final class LayersCommandTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "--rates, fast, '--rates is ''fast'''",
        "--rates, 999kbit, '--rates is 999kbit'",
        "--slice, 0, '--slice is 0'",
        "--slice, 65537, '--slice is 65537'",
        "--scale, 0, '--scale is 0'",
        "--workers, 0, '--workers is 0'",
        "--servers, 17, '--servers is 17'",
        "--compute, 5, '--compute is ''5'', expected a time'",
        "--compute, 61s, '--compute is 61s, expected up to 60s'",
        "--iterations, 0, '--iterations is 0'",
        "--warmup, 0, '--warmup is 0'",
        "--rounds, 0, '--rounds is 0'",
        "--batch, 0, '--batch is 0'",
        "--json, /no/such/folder/x.json, '--json /no/such/folder/x.json'",
    })
    void refusesWhatIsOutOfRange(String option, String value, String message) {
        PerfRun run = PerfRun.of("run", "layers", option, value);
        assertEquals(ExitCode.USAGE, run.exitCode(), run::err);
        assertTrue(run.err().startsWith("sluice: " + message), run::err);
    }

    @Test
    void refusesAnUnknownModel() {
        PerfRun run = PerfRun.of("run", "layers", "--model", "vgg16");
        assertEquals(ExitCode.USAGE, run.exitCode(), run::err);
        assertTrue(run.err().contains("--model is vgg16, expected three or vgg19"), run::err);
    }

    /**
     * Real nodes on real hosts; workers check their replicas to the bit, so an exit code of 0 proves equal replicas.
     */
    @Test
    @Tag("slow")
    @Timeout(300)
    void trainsOverLinksOfAStatedRate() throws IOException {
        LabRoot.assume();
        Path json = folder.resolve("layers.json");
        PerfRun run = PerfRun.of(
                "run",
                "layers",
                "--model",
                "three",
                "--scale",
                512,
                "--rates",
                "200mbit",
                "--compute",
                "60ms",
                "--slice",
                "2000,500",
                "--servers",
                2,
                "--iterations",
                2,
                "--rounds",
                2,
                "--json",
                json);
        assertEquals(ExitCode.OK, run.exitCode(), run::err);
        JsonNode report = PerfRun.json(json);
        assertEquals(1, report.get("recommendations").size());
        JsonNode rows = report.get("rows");
        assertEquals(4, rows.size());
        for (JsonNode row : rows) {
            assertEquals(2 * 2 * 2, row.get("iterations").asInt(), row::toString);
            assertTrue(row.get("iteration_ms").asDouble() >= 60, row::toString);
            assertTrue(row.get("forecast_ms").asDouble() >= row.get("bound_ms").asDouble() - 1e-6, row::toString);
            assertTrue(row.get("wait_ms").asDouble() >= row.get("delay_ms").asDouble(), row::toString);
        }
        assertEquals(
                "[65536,2000,2000,500]", rows.findValues("slice").toString().replace(" ", ""));
        assertEquals(1, rows.get(0).get("ratio_to_baseline").asDouble(), 1e-9);
    }
}
