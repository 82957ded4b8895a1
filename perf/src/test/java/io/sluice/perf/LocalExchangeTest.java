package io.sluice.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.console.ExitCode;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Workers compare their replicas with a sum done in a loop, so an exit code of 0 proves correct sums. */
final class LocalExchangeTest {
    private static final int PARAMS = 40_000;

    @TempDir
    private Path folder;

    @Test
    @Timeout(300)
    void sendsWhatPassesTheFilters() throws IOException {
        Path json = folder.resolve("local.json");
        PerfRun run = PerfRun.of(
                "run",
                "local-exchange",
                "--workers=1,2",
                "--kept=0.2,1",
                "--params=" + PARAMS,
                "--warmup=4",
                "--clocks=7",
                "--json=" + json);
        assertEquals(ExitCode.OK, run.exitCode(), run::err);
        JsonNode rows = PerfRun.json(json).get("rows");
        assertEquals(4, rows.size(), rows::toString);
        for (JsonNode row : rows) {
            int workers = row.get("workers").asInt();
            assertEquals(7 * workers, row.get("clocks").asInt(), row::toString);
            double kept = row.get("kept_measured").asDouble();
            assertEquals(row.get("kept").asDouble(), kept, 0.01, row::toString);
            double values = kept * PARAMS * Float.BYTES;
            double pushed = row.get("pushed_bytes").asDouble();
            assertTrue(pushed > values && pushed < 1.3 * values, row::toString);
            assertEquals(pushed, row.get("broadcast_bytes").asDouble(), 0.2 * values, row::toString);
            assertTrue(row.get("p50").asDouble() <= row.get("max").asDouble(), row::toString);
        }
    }
}
