package io.sluice.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RowsCommandTest {
    @TempDir
    private Path folder;

    @Test
    void everyNumberOfThreadsHasARowForWhatTheyShare() throws IOException {
        Path json = folder.resolve("rows.json");
        String options =
                "run rows --threads 1,3 --rows 100 --columns 7 --steps 3000 --clocks 3 --rounds 1 --json " + json;
        PerfRun run = PerfRun.of((Object[]) options.split(" "));
        assertEquals(0, run.exitCode(), run::toString);
        Set<String> variants = new HashSet<>();
        for (JsonNode row : PerfRun.json(json).get("rows")) {
            variants.add(row.get("threads") + " " + row.get("kind").asText());
            assertTrue(row.get("steps_per_second").asDouble() > 0, row::toString);
            if (row.get("kind").asText().equals("plain")) {
                assertEquals(1, row.get("share").asDouble());
            }
        }
        assertEquals(Set.of("1 plain", "1 table", "1 own writes", "3 plain", "3 table", "3 own writes"), variants);
    }
}
