package io.sluice.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.console.ExitCode;
import io.sluice.messaging.bandwidth.AvailableBandwidth.End;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Isolated("measures a link")
final class BandwidthCommandTest {
    private static final double TOLERANCE = 3;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "--rates, fast, '--rates is ''fast'''",
        "--cross, 1, '--cross is 1, expected 0 (inclusive) to 1 (exclusive)'",
        "--cross, -0.1, '--cross is -0.1'",
        "--seconds, 0, '--seconds is 0, expected above 0 to 60'",
        "--queue, 100, '--queue is 100'",
    })
    void refusesWhatIsOutOfRange(String option, String value, String message) {
        PerfRun run = PerfRun.of("run", "bandwidth", option, value);
        assertEquals(ExitCode.USAGE, run.exitCode(), run::err);
        assertTrue(run.err().startsWith("sluice: " + message), run::err);
    }

    /** Uses child JVMs and real namespaces. Only a run on an idle machine shows how exact the estimates are. */
    @Test
    @Tag("slow")
    @Timeout(300)
    void estimatesALinkOfKnownRate() throws IOException {
        Path json = folder.resolve("bandwidth.json");
        PerfRun run = PerfRun.of("run", "bandwidth", "--rates", "50mbit", "--cross", "0.4", "--json", json);
        assumeTrue(run.exitCode() != ExitCode.UNAVAILABLE, run::err);
        assertEquals(ExitCode.OK, run.exitCode(), run::err);
        JsonNode rows = PerfRun.json(json).get("rows");
        assertEquals(1, rows.size());
        requireRow(rows.get(0), 20_000_000);
    }

    private static void requireRow(JsonNode row, long cross) {
        assertEquals(50_000_000, row.get("rate").asLong(), row::toString);
        assertEquals(cross, row.get("cross").asLong(), row::toString);
        assertEquals(50_000_000 - cross, row.get("available").asLong(), row::toString);
        assertTrue(row.get("passive_samples").asLong() > 0, row::toString);
        requireEstimate(row, "passive");

        double low = row.get("active_low").asDouble();
        double high = row.get("active_high").asDouble();
        assertEquals((low + high) / 2, row.get("active").asDouble(), 1, row::toString);
        assertTrue(
                row.get("active_bytes").asLong() > 0
                        && row.get("active_seconds").asDouble() > 0,
                row::toString);
        End end = End.valueOf(row.get("active_end").asText());
        assertTrue(end != End.UNANSWERED && end != End.INTERRUPTED, row::toString);
        if (end == End.RESOLVED) {
            requireEstimate(row, "active");
        }
    }

    /** Requires an estimate of the right order, and a reported error that matches it. */
    private static void requireEstimate(JsonNode row, String name) {
        double ratio = row.get(name).asDouble() / row.get("available").asDouble();
        assertTrue(ratio > 1 / TOLERANCE && ratio < TOLERANCE, row::toString);
        assertEquals(ratio - 1, row.get(name + "_error").asDouble(), 1e-6, row::toString);
    }
}
