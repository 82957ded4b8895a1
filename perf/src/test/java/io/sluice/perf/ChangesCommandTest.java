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

/** A job with one change each, on hosts of a lab. */
@Tag("slow")
@Isolated("judges what it measures")
@Timeout(300)
final class ChangesCommandTest {
    @TempDir
    private Path folder;

    /** Workers check their replicas to the bit; each change does what it is for. */
    @Test
    void measuresAJobWithOneChangeEach() throws IOException {
        LabRoot.assume();
        Path json = folder.resolve("changes.json");
        String options = "run changes --params 200000 --workers 2 --servers 1 --rate 20mbit --compute 100ms"
                + " --changes none,kept=0.1,values=bf16,steps=4,consistency=ssp:1,protocol=push-pull,tree=chain"
                + " --clocks 2 --warmup 2 --rounds 1 --json " + json;
        PerfRun run = PerfRun.of((Object[]) options.split(" "));
        assertEquals(ExitCode.OK, run.exitCode(), run::err);
        JsonNode rows = PerfRun.json(json).get("rows");
        assertEquals(7, rows.size(), rows::toString);
        double dense = rows.get(0).get("bytes_pushed").asDouble();
        assertTrue(rows.get(1).get("bytes_pushed").asDouble() < dense / 4, rows::toString);
        assertEquals(dense / 2, rows.get(2).get("bytes_pushed").asDouble(), dense / 50, rows::toString);
        assertEquals(dense, rows.get(3).get("bytes_pushed").asDouble(), dense / 50, rows::toString);
        for (int row : new int[] {0, 3, 5, 6}) { // servers send all parameters in each clock
            assertEquals(800_000, rows.get(row).get("bytes_received").asDouble(), 8_000, rows::toString);
        }
        assertTrue(rows.get(3).get("ratio").asDouble() < 1, rows::toString);
        assertTrue(rows.get(5).get("ratio").asDouble() > 1, rows::toString);
        for (JsonNode row : rows) {
            assertTrue(row.get("seconds").asDouble() >= 0.1, row::toString);
        }
    }
}
