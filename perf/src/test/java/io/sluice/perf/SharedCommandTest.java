package io.sluice.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.console.ExitCode;
import io.sluice.perf.lab.LabRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Isolated("measures links that are shared")
final class SharedCommandTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "--rate, fast, '--rate is ''fast'''",
        "--rate, 999kbit, '--rate is 999kbit'",
        "--min-rate, 11gbit, '--min-rate is 11gbit'",
        "--cross, 0, '--cross is 0, expected above 0 and below 1'",
        "--cross, 1, '--cross is 1, expected above 0 and below 1'",
        "--workers, 0, '--workers is 0'",
        "--workers, 9, '--workers is 9'",
        "--elements, 1000, '--elements is 1000'",
        "--compute, 61s, '--compute is 61s'",
        "'--clocks', '1,2', '--clocks is 1,2, expected three numbers'",
        "'--clocks', '1,0,3', '--clocks is 0, expected 1 to 10000'",
        "--low, 0, '--low is 0, expected above 0'",
        "--high, 1, '--high is 1.0, expected --low or more'",
        "--rounds, 0, '--rounds is 0'",
        "--json, /no/such/folder/x.json, '--json /no/such/folder/x.json'",
    })
    void refusesWhatIsOutOfRange(String option, String value, String message) {
        PerfRun run = PerfRun.of("run", "shared", option, value);
        assertEquals(ExitCode.USAGE, run.exitCode(), run::err);
        assertTrue(run.err().startsWith("sluice: " + message), run::err);
    }

    @Test
    void refusesAnUnknownThreshold() {
        PerfRun run = PerfRun.of("run", "shared", "--thresholds", "fixed,lucky");
        assertEquals(ExitCode.USAGE, run.exitCode(), run::err);
        assertTrue(run.err().contains("lucky"), run::err);
    }

    /** Real nodes on real hosts. Replicas are compared to the bit, so an exit code of 0 proves equal replicas. */
    @Test
    @Tag("slow")
    @Timeout(300)
    void runsWhileOtherJobsStartAndEnd() throws IOException {
        LabRoot.assume();
        Path json = folder.resolve("shared.json");
        Object[] terms = {"run", "shared", "--thresholds", "adaptive,fixed", "--clocks", "4,30,4", "--rounds", 1};
        Object[] small = {"--elements", 1 << 18, "--rate", "50mbit", "--min-rate", "11mbit", "--compute", "20ms"};
        Object[] files = {"--json", json, "--plot", folder.resolve("s.svg")};
        PerfRun run = PerfRun.of(
                Stream.of(terms, small, files).flatMap(Arrays::stream).toArray());
        assertEquals(ExitCode.OK, run.exitCode(), run::err);
        JsonNode rows = PerfRun.json(json).get("rows");
        assertEquals(6, rows.size());
        assertEquals("fixed", rows.get(0).get("threshold").asText());
        assertEquals("adaptive", rows.get(3).get("threshold").asText());
        for (JsonNode row : rows) {
            assertTrue(row.get("clock_ms").asDouble() >= 20, row::toString);
            assertTrue(row.get("kept").asDouble() > 0 && row.get("kept").asDouble() < 1, row::toString);
            assertTrue(row.get("least_rate").asLong() > 0, row::toString);
        }
        double with = rows.get(1).get("least_rate").asDouble();
        double without = rows.get(0).get("least_rate").asDouble();
        assertTrue(with < without, "a fixed threshold fills the link, so that others are noticed: " + rows);
        // Cross traffic slows one worker more than another, so the threshold of one may stay; and it may rise late.
        double fixed = rows.get(1).get("kept").asDouble();
        double adaptive = Math.min(
                rows.get(4).get("kept").asDouble(), rows.get(5).get("kept").asDouble());
        assertTrue(adaptive < 0.95 * fixed, "links were found slow, and the threshold rose: " + rows);
        assertTrue(Files.size(folder.resolve("s-clock.svg")) > 0);
        assertTrue(Files.size(folder.resolve("s-kept.svg")) > 0);
    }
}
