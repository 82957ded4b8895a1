package io.sluice.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VectorLogCommandTest {
    @TempDir
    private Path folder;

    @Tag("slow")
    @Test
    void turnsDifferInTheLogAlone() throws IOException {
        Path json = folder.resolve("log.json");
        PerfRun run = PerfRun.of((Object[]) ("run vector-log --classes 50 --words 3000 --batch 10 --clocks 10"
                        + " --rounds 1 --folder " + folder + " --json " + json)
                .split(" "));
        assertEquals(0, run.exitCode(), run::toString);
        JsonNode rows = PerfRun.json(json).get("rows");
        assertEquals(2, rows.size());
        assertEquals(0, rows.get(0).get("log_bytes").asDouble(), "without a log");
        double ratio = rows.get(1).get("bytes_ratio").asDouble();
        assertTrue(ratio > 0.005 && ratio < 0.1, rows::toString);
    }
}
