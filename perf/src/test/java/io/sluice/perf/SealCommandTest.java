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

@Timeout(300)
final class SealCommandTest {
    @TempDir
    private Path folder;

    @Tag("slow")
    @Test
    void writesSpeedsAndRoundTrips() throws IOException {
        Path json = folder.resolve("seal.json");
        PerfRun run = PerfRun.of("run", "seal", "--rounds", 1, "--trips", 1_000, "--json", json);
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        JsonNode rows = PerfRun.json(json).path("rows");
        assertEquals(8, rows.size());
        for (int i = 0; i < 6; i++) {
            assertTrue(rows.get(i).path("gb_per_second").asDouble() > 0, rows::toString);
        }
        assertEquals(262_144, rows.get(5).path("frame_bytes").asInt());
        assertEquals("round trip, sealed", rows.get(7).path("what").asText());
        assertEquals(1_000, rows.get(7).path("frames").asLong());
        assertTrue(rows.get(7).path("p50_ns").asLong() > 0, rows::toString);
    }

    @ParameterizedTest
    @CsvSource({
        "--rounds, 0, '--rounds is 0, expected 1 to 1000'",
        "--trips, 0, '--trips is 0, expected 1 to 100000000'"
    })
    void whatIsWrongIsSaid(String option, String value, String message) {
        PerfRun run = PerfRun.of("run", "seal", option, value);
        assertEquals(ExitCode.USAGE, run.exitCode());
        assertTrue(run.err().startsWith("sluice: " + message), run.err());
    }
}
