package io.sluice.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The scenario trains under each rule, and counts the passes to the goal. */
class RulesCommandTest {
    @TempDir
    private Path folder;

    @Tag("slow")
    @Test
    void eachRuleHasItsErrorsByPass() throws IOException {
        Path json = folder.resolve("rules.json");
        String options = "run rules --rules adarevision:0.4,sum --steps 0.001,0.002 --passes 6 --rank 8 --workers 2"
                + " --goal 60000 --json " + json;
        PerfRun run = PerfRun.of((Object[]) options.split(" "));
        assertEquals(0, run.exitCode(), run::toString);
        JsonNode rows = PerfRun.json(json).get("rows");
        assertEquals(3, rows.size());
        for (JsonNode row : rows) {
            JsonNode errors = row.get("train_error");
            assertEquals(6, errors.size());
            int passes = 0;
            while (passes < 6 && errors.get(passes).asDouble() > 60_000) {
                passes++;
            }
            JsonNode counted = row.path("passes_to_goal");
            assertEquals(passes == 6 ? 0 : passes + 1, counted.asInt(), row::toString);
        }
        double revised = rows.get(0).get("train_error").get(5).asDouble();
        double fixed = rows.get(2).get("train_error").get(5).asDouble();
        assertTrue(revised < fixed, revised + " and with a fixed step " + fixed);
    }
}
