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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class HopsCommandTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "--workers, 1, '--workers is 1, expected 2 to 31'",
        "--rate, 999kbit, '--rate is 999kbit, expected 1mbit to 10gbit'",
        "--frames, 0, '--frames is 0'",
        "--broadcasts, 0, '--broadcasts is 0'",
        "--asks, 10001, '--asks is 10001'",
        "--every, 0, '--every is 0'",
    })
    void refusesWhatIsOutOfRange(String option, String value, String message) {
        PerfRun run = PerfRun.of("run", "hops", option + "=" + value);
        assertEquals(ExitCode.USAGE, run.exitCode(), run::err);
        assertTrue(run.err().startsWith("sluice: " + message), run::err);
    }

    /** A row for each hop between workers, and two for control frames, all with as many times as were asked for. */
    @Test
    @Tag("slow")
    @Timeout(300)
    void countsEveryFrameAndEveryAnswer() throws IOException {
        LabRoot.assume();
        Path json = folder.resolve("hops.json");
        PerfRun run = PerfRun.of(
                "run",
                "hops",
                "--workers=3",
                "--rate=50mbit",
                "--frames=5",
                "--bytes=1mib",
                "--broadcasts=1",
                "--asks=20",
                "--every=1",
                "--json=" + json);
        assertEquals(ExitCode.OK, run.exitCode(), run::err);
        JsonNode rows = PerfRun.json(json).get("rows");
        assertEquals(4, rows.size(), rows::toString);
        for (int hop = 0; hop < 2; hop++) {
            assertEquals("hop", rows.get(hop).get("what").asText());
            assertEquals(5, rows.get(hop).get("count").asInt());
        }
        assertEquals(20, rows.get(2).get("count").asInt());
        assertEquals("full", rows.get(3).get("place").asText());
        assertTrue(rows.get(3).get("count").asInt() > 0, rows::toString);
        for (JsonNode row : rows) {
            assertTrue(row.get("p50").asDouble() > 0, row::toString);
            assertTrue(row.get("p50").asDouble() <= row.get("max").asDouble(), row::toString);
        }
    }
}
