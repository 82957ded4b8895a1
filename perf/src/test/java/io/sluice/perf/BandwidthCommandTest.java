package io.sluice.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class BandwidthCommandTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "--rates, fast, '--rates is ''fast'''",
        "--cross, 1, '--cross is 1.0'",
        "--cross, -0.1, '--cross is -0.1'",
        "--seconds, 0, '--seconds is 0.0'",
        "--queue, 100, '--queue is 100'",
    })
    void refusesWhatIsOutOfRange(String option, String value, String message) {
        PerfRun run = PerfRun.of("bandwidth", option, value);
        assertEquals(ExitCode.USAGE, run.exitCode(), run::err);
        assertTrue(run.err().startsWith("sluice: " + message), run::err);
    }

    /** In child JVMs and real namespaces; the bounds are those promised for links of known rate. */
    @Test
    @Tag("slow")
    @Timeout(180)
    void estimatesALinkOfKnownRate() throws IOException {
        Path json = folder.resolve("bandwidth.json");
        PerfRun run = PerfRun.of("bandwidth", "--rates", "50mbit", "--cross", "0,0.4", "--json", json);
        assumeTrue(run.exitCode() != ExitCode.UNAVAILABLE, run::err);
        assertEquals(ExitCode.OK, run.exitCode(), run::err);
        JsonNode rows = PerfRun.json(json).get("rows");
        assertEquals(2, rows.size());
        for (JsonNode row : rows) {
            assertEquals(0, row.get("passive_error").asDouble(), 0.1, row::toString);
            assertEquals(0, row.get("active_error").asDouble(), 0.2, row::toString);
            assertEquals("RESOLVED", row.get("active_end").asText(), row::toString);
        }
    }
}
