package io.sluice.perf.latency;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.console.ExitCode;
import io.sluice.console.UnavailableException;
import io.sluice.perf.Perf;
import io.sluice.perf.lab.Lab;
import io.sluice.perf.lab.LabPlan;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class UrgencyCommandTest {
    @TempDir
    private Path folder;

    private static void assumeLab() {
        try {
            Lab.build(new LabPlan().hosts(1)).close();
        } catch (UnavailableException e) {
            assumeTrue(false, e.getMessage());
        }
    }

    /** First come, first served, the urgent slice is sent last, after all that was queued. */
    @Test
    @Tag("slow")
    void anUrgentSliceOvertakesWhatIsQueued() throws IOException {
        assumeLab();
        Path json = folder.resolve("urgency.json");
        assertEquals(
                ExitCode.OK,
                Perf.run(
                        "run", "urgency", "--queued=2mib", "--rate=50mbit", "--rounds=1", "--json=" + json.toString()));
        JsonNode rows = new ObjectMapper().readTree(json.toFile()).get("rows");
        JsonNode layer = rows.get(0);
        JsonNode fifo = rows.get(1);
        assertEquals("layer", layer.get("order").asText());
        assertEquals("fifo", fifo.get("order").asText());
        for (JsonNode row : rows) {
            assertTrue(row.get("queued_bytes").asLong() > 1_900_000, row::toString);
            assertTrue(row.get("budget_rate").asLong() < row.get("link_rate").asLong(), row::toString);
        }
        assertTrue(layer.get("median_ms").asDouble() < fifo.get("median_ms").asDouble(), rows::toString);
    }

    @Test
    void whatCannotBeRunIsAUsageError() {
        assertEquals(ExitCode.USAGE, Perf.run("run", "urgency", "--rounds=0"));
        assertEquals(ExitCode.USAGE, Perf.run("run", "urgency", "--rate=fast"));
        assertEquals(ExitCode.USAGE, Perf.run("run", "urgency", "--queued=much"));
    }
}
