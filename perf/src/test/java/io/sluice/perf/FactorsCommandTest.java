package io.sluice.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.perf.lab.LabRoot;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Vectors, updates and matrices train the same model over the links of a lab. */
class FactorsCommandTest {
    @TempDir
    private Path folder;

    @Test
    void allMethodsTrainOneModel() throws IOException {
        LabRoot.assume();
        Path json = folder.resolve("factors.json");
        String options = "run factors --classes 40 --words 2000 --examples 600 --clocks 5 --batch 10 --compute 1ms"
                + " --workers 2 --servers 1 --methods push-pull,update,all,power:3 --json " + json;
        PerfRun run = PerfRun.of((Object[]) options.split(" "));
        assertEquals(0, run.exitCode(), run::toString);
        JsonNode rows = PerfRun.json(json).get("rows");
        assertEquals(4, rows.size());
        double loss = rows.get(0).get("loss").asDouble();
        for (int exact = 1; exact < 3; exact++) {
            assertEquals(loss, rows.get(exact).get("loss").asDouble(), 1e-4, "only the order of sums differs");
        }
        JsonNode all = rows.get(2);
        assertEquals("all", all.get("method").asText());
        assertTrue(all.get("bytes_share").asDouble() < 0.2, all::toString);
        assertTrue(all.get("vector_bytes").asLong() < all.get("update_bytes").asLong(), all::toString);
        assertTrue(rows.get(3).get("loss").asDouble() < Math.log(40), rows::toString);
    }

    @Test
    void aSelectionThatDoesNotExistIsRefused() {
        PerfRun run = PerfRun.of("run", "factors", "--methods", "most");
        assertEquals(2, run.exitCode(), run::toString);
        assertTrue(run.err().contains("'most'"), run.err());
    }
}
