package io.sluice.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.console.ExitCode;
import java.io.IOException;
import java.nio.ByteBuffer;
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
        "--orders, sideways, 'order is ''sideways'''",
        "--slice, 0, '--slice is 0, expected 1 to 65536'",
        "--consistency, bulk, 'consistency is ''bulk'''",
        "--json, /no/such/folder/x.json, '--json /no/such/folder/x.json'",
    })
    void refusesWhatIsOutOfRange(String option, String value, String message) {
        PerfRun run = PerfRun.of("run", "managed", option, value);
        assertEquals(ExitCode.USAGE, run.exitCode(), run::err);
        assertTrue(run.err().startsWith("sluice: " + message), run::err);
    }

    /** Images whose brightest pixel is their class. */
    private void images(String part, int count) throws IOException {
        ByteBuffer labels = ByteBuffer.allocate(8 + count).putInt(0x0801).putInt(count);
        ByteBuffer images = ByteBuffer.allocate(16 + 10 * count)
                .putInt(0x0803)
                .putInt(count)
                .putInt(2)
                .putInt(5);
        for (int i = 0; i < count; i++) {
            labels.put((byte) (i % 10));
            images.put(16 + 10 * i + i % 10, (byte) 200);
        }
        Files.write(folder.resolve(part + "-labels-idx1-ubyte"), labels.array());
        Files.write(folder.resolve(part + "-images-idx3-ubyte"), images.array());
    }

    @Test
    @Tag("slow")
    void comparesTheTimeToALossOnImagesAtTheBestStep() throws IOException {
        images("train", 100);
        images("t10k", 20);
        Path json = folder.resolve("managed.json");
        String words =
                "run managed --budgets 20mbit --workers 2 --clocks 4 --batches 4 --batch 10 --compute 5ms --slice 10"
                        + " --orders magnitude --learning-rate 0.01,1 --data " + folder + " --json " + json + " --plot "
                        + folder.resolve("managed.svg");
        PerfRun run = PerfRun.of((Object[]) words.split(" "));
        assertEquals(ExitCode.OK, run.exitCode(), run::err);
        JsonNode rows = PerfRun.json(json).get("rows");
        assertEquals(4, rows.size());
        for (JsonNode row : rows) {
            assertEquals("fashion-mnist", row.get("dataset").asText());
            assertEquals(Math.log(10), row.get("loss").get(0).asDouble(), 1e-9);
        }
        assertTrue(rows.get(0).get("clocks_to_goal").isNull(), "a step of 0.01 is too short: " + rows.get(0));
        assertEquals(4, rows.get(1).get("clocks_to_goal").asInt());
        assertEquals(1, rows.get(1).get("faster").asDouble());
        assertTrue(rows.get(3).get("loss").get(4).asDouble() < Math.log(10), () -> "it learns: " + rows.get(3));
        assertTrue(rows.get(3).get("early_pushed").asDouble() > 0, () -> "" + rows.get(3));
        assertTrue(Files.size(folder.resolve("managed.svg")) > 0);
        assertTrue(rows.get(3).get("share_pushed").isEmpty(), "nothing counts the sends of slices");
    }

    /** A tenth of the slices that are sent most often gets at least a tenth of the sends, and all slices get all. */
    private static void requireShares(JsonNode row, String sent) {
        JsonNode shares = row.get("share_" + sent);
        if (row.get("early_" + sent).asDouble() == 0) {
            assertTrue(shares.isEmpty() && row.get("top_tenth_" + sent).isNull(), row::toString);
            return;
        }
        assertEquals(row.get("share_of_slices").size(), shares.size(), row::toString);
        assertEquals(0, shares.get(0).asDouble());
        assertEquals(1, shares.get(shares.size() - 1).asDouble(), 1e-9);
        assertTrue(row.get("top_tenth_" + sent).asDouble() > 0.1 - 1e-9, row::toString);
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
                "--sends",
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
            requireShares(row, "pushed");
            requireShares(row, "broadcast");
        }
        assertTrue(Files.size(folder.resolve("managed-20mbit.svg")) > 0);
        assertTrue(Files.size(folder.resolve("managed-100mbit.svg")) > 0);
        assertTrue(Files.size(folder.resolve("managed-sends-20mbit.svg")) > 0);
    }
}
