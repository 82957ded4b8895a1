package io.sluice.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.console.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(300)
final class ManagedCommandTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "--budgets, fast, '--budgets is ''fast'''",
        "--budget-burst, 100, 'link burst is 100'",
        "--workers, 0, '--workers is 0'",
        "--servers, 17, '--servers is 17'",
        "--clocks, 1, '--clocks is 1'",
        "--batches, 0, '--batches is 0'",
        "--batch, 0, '--batch is 0'",
        "--compute, 5, '--compute is ''5'', expected a time'",
        "--learning-rate, 0, '--learning-rate is 0, expected a positive number'",
        "--features, 1, '--features is 1'",
        "--slice, 0, '--slice is 0, expected 1 to 65536'",
        "--consistency, bulk, 'consistency is ''bulk'''",
        "--json, /no/such/folder/x.json, '--json /no/such/folder/x.json'",
    })
    void refusesWhatIsOutOfRange(String option, String value, String message) {
        PerfRun run = PerfRun.of("run", "managed", option, value);
        assertEquals(ExitCode.USAGE, run.exitCode(), run::err);
        assertTrue(run.err().startsWith("sluice: " + message), run::err);
    }

    /** Whole clusters; the command itself compares the replicas of all workers. */
    @Test
    @Tag("slow")
    void trainsByAllMethodsAtEachBudget() throws IOException {
        Path json = folder.resolve("managed.json");
        PerfRun run = PerfRun.of(
                "run",
                "managed",
                "--budgets",
                "20mbit,100mbit",
                "--workers",
                2,
                "--clocks",
                4,
                "--batches",
                4,
                "--compute",
                "5ms",
                "--features",
                4_096,
                "--learning-rate",
                0.5,
                "--plot",
                folder.resolve("managed.svg"),
                "--json",
                json);
        assertEquals(ExitCode.OK, run.exitCode(), run::err);
        JsonNode rows = PerfRun.json(json).get("rows");
        assertEquals(10, rows.size());
        for (JsonNode row : rows) {
            JsonNode loss = row.get("loss");
            assertEquals(5, loss.size());
            assertEquals(Math.log(2), loss.get(0).asDouble(), 1e-9);
            assertTrue(loss.get(4).asDouble() < Math.log(2), () -> "it learns: " + row);
            boolean managed = "managed".equals(row.get("protocol").asText());
            assertEquals(managed, row.get("early_pushed").asDouble() > 0, row::toString);
            assertTrue(row.get("above_rate").asDouble() > 0, "bytes were seen on the wire");
        }
        assertTrue(Files.size(folder.resolve("managed-20mbit.svg")) > 0);
        assertTrue(Files.size(folder.resolve("managed-100mbit.svg")) > 0);
    }
}
