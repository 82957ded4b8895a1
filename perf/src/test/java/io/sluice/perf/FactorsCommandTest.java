package io.sluice.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.perf.lab.LabRoot;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Vectors, updates and matrices train the same model over the links of a lab. */
class FactorsCommandTest {
    @TempDir
    private Path folder;

    @Tag("slow")
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

    /** Whole matrices, trained for fewer clocks, have the clocks to a loss of all vectors. */
    @Tag("slow")
    @Test
    void timesToALossAreClocksTimesTheirSeconds() throws IOException {
        LabRoot.assume();
        Path json = folder.resolve("goal.json");
        String options = "run factors --classes 40 --words 50 --decay 1 --examples 600 --clocks 8 --matrix-clocks 4"
                + " --batch 10 --compute 1ms --learning-rate 5 --goal 3.6 --sample 3 --workers 3 --servers 1"
                + " --methods push-pull,power:3/all,all/all,all/random:1;sync=3 --json " + json;
        PerfRun run = PerfRun.of((Object[]) options.split(" "));
        assertEquals(0, run.exitCode(), run::toString);
        JsonNode rows = PerfRun.json(json).get("rows");
        assertEquals(rows.get(2).get("clocks_to_goal"), rows.get(0).get("clocks_to_goal"), rows::toString);
        for (JsonNode row : rows) {
            assertEquals(9, row.get("objective").size(), row::toString);
            assertEquals(Math.log(40), row.get("objective").get(0).asDouble(), 1e-6);
            double clocks = row.get("clocks_to_goal").asDouble();
            assertTrue(row.get("objective").get((int) clocks).asDouble() > 3.6, row::toString);
            assertTrue(row.get("objective").get((int) Math.ceil(clocks)).asDouble() <= 3.6, row::toString);
            double seconds = row.get("seconds_to_goal").asDouble();
            assertEquals(clocks * row.get("seconds_per_clock").asDouble(), seconds, 1e-9);
        }
    }

    @Test
    void aSelectionThatDoesNotExistIsRefused() {
        PerfRun run = PerfRun.of("run", "factors", "--methods", "most");
        assertEquals(2, run.exitCode(), run::toString);
        assertTrue(run.err().contains("'most'"), run.err());
    }
}
