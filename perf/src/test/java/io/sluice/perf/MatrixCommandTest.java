package io.sluice.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every combination trains, and has a row of its own. */
class MatrixCommandTest {
    @TempDir
    private Path folder;

    @Tag("slow")
    @Test
    void everyCombinationHasARow() throws IOException {
        Path json = folder.resolve("matrix.json");
        String options = "run matrix --placements uniform,largest-first --consistency bsp,ssp:1"
                + " --codecs none/f32,density:0.05/bf16 --clocks 20 --batch 8 --workers 2 --json " + json;
        PerfRun run = PerfRun.of((Object[]) options.split(" "));
        assertEquals(0, run.exitCode(), run::toString);
        JsonNode rows = PerfRun.json(json).get("rows");
        Set<String> combinations = new HashSet<>();
        for (JsonNode row : rows) {
            combinations.add(row.get("placement") + " " + row.get("consistency") + " " + row.get("filter"));
            boolean isSparse = row.get("filter").asText().startsWith("density");
            double share = row.get("bytes_share").asDouble();
            assertTrue(isSparse ? share < 0.5 : share > 0.8, row::toString);
            assertTrue(row.get("final_loss").asDouble() < 2.3, row::toString); // that of a guess is ln 10
        }
        assertEquals(8, combinations.size(), combinations::toString);
    }

    /** Each combination stops at its own clock, and the quantised clocks are short. */
    @Tag("slow")
    @Test
    void combinationsTrainToTheSameAccuracy() throws IOException {
        Path json = folder.resolve("quantisers.json");
        String options = "run matrix --placements uniform --consistency bsp --codecs none/f32,sign;warmup=4/f32"
                + " --clocks 60 --goal 60 --every 2 --workers 2 --servers 1 --slice 7840 --json " + json;
        PerfRun run = PerfRun.of((Object[]) options.split(" "));
        assertEquals(0, run.exitCode(), run::toString);
        JsonNode rows = PerfRun.json(json).get("rows");
        for (JsonNode row : rows) {
            assertTrue(row.get("clocks").asInt() < 60 && row.get("clocks").asInt() % 2 == 0, row::toString);
            assertTrue(row.get("test_accuracy").asDouble() >= 0.6, row::toString);
        }
        boolean quantised = rows.get(1).get("clocks").asInt() > 4;
        assertTrue(!quantised || rows.get(1).get("last_share").asDouble() <= 1.0 / 25, rows::toString);
    }

    @Test
    void aCodecWithoutValuesIsRefused() {
        PerfRun run = PerfRun.of("run", "matrix", "--codecs", "none");
        assertEquals(2, run.exitCode(), run::toString);
        assertTrue(run.err().contains("codecs is 'none', expected FILTER/VALUES such as density:0.01/bf16"), run.err());
    }
}
