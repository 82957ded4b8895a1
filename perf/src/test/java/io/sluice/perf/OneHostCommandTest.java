package io.sluice.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.console.ExitCode;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class OneHostCommandTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "--workers, '3,65', '--workers is 65'",
        "--broadcasts, 0, '--broadcasts is 0'",
        "--warmup, -1, '--warmup is -1'",
        "--rounds, 0, '--rounds is 0'",
        "--json, /no/such/folder/x.json, '--json /no/such/folder/x.json'",
    })
    void refusesWhatIsOutOfRange(String option, String value, String message) {
        PerfRun run = PerfRun.of("one-host", option + "=" + value);
        assertEquals(ExitCode.USAGE, run.exitCode(), run::err);
        assertTrue(run.err().startsWith("sluice: " + message), run::err);
    }

    /** Workers check their sums; without Open MPI a line states that, and ratios are missing. */
    @Tag("slow")
    @Test
    @Timeout(300)
    void broadcastsToWorkersOfOneHost() throws IOException {
        Path json = folder.resolve("one-host.json");
        PerfRun run = PerfRun.of(
                "one-host",
                "--workers=1,3",
                "--bytes=1mib",
                "--broadcasts=2",
                "--warmup=1",
                "--rounds=2",
                "--json=" + json);
        assertEquals(ExitCode.OK, run.exitCode(), run::err);
        JsonNode rows = PerfRun.json(json).get("rows");
        assertTrue(run.out().contains("-Ppeers package -pl perf/peers -am"), run::out);
        assertEquals(2, rows.size(), rows::toString);
        for (JsonNode row : rows) {
            assertEquals(4, row.get("broadcasts").asInt());
            assertTrue(row.get("seconds").asDouble() > 0, row::toString);
            assertTrue(row.get("ratio_to_mpi").isNull(), row::toString);
        }
    }
}
