package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.console.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Advice on real jobs. */
@Tag("slow")
@Timeout(300)
class AdviseTest {
    @TempDir
    private Path folder;

    private JsonNode advice(Object... arguments) throws IOException {
        Path json = folder.resolve("advice.json");
        Object[] all = new Object[arguments.length + 3];
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        all[0] = "advise";
        all[all.length - 2] = "--json";
        all[all.length - 1] = json;
        try (CliRun run = Cli.plain().start(all)) {
            assertEquals(ExitCode.OK, run.exitCode(), run::toString);
            assertTrue(run.out().contains("one change"), run::toString);
        }
        return new ObjectMapper().readTree(json.toFile());
    }

    @Test
    void readsTheReportOfAJob() throws IOException {
        JsonNode report = LrRun.report("--workers", 2, "--clocks", 20, "--features", 1 << 14, "--filter", "none");
        Path file = Files.writeString(folder.resolve("report.json"), report.toString());
        JsonNode job = advice(file).get("job");
        assertEquals(1 << 14, job.get("parameters").asInt());
        assertEquals(
                report.get("seconds").asDouble() / 20, job.get("clock_seconds").asDouble(), 1e-6);
        assertEquals(
                report.get("bytes_pushed").asDouble() / 40,
                job.get("pushed_bytes").asDouble(),
                1);
        assertEquals(0, job.get("link_rate").asLong(), "shared memory");
    }

    @Test
    void watchesARunningJob() throws IOException {
        try (CliRun job = EndlessJob.training()) {
            JsonNode seen = advice("--running", "--aeron-dir", job.jobDirectory(), "--seconds", 1)
                    .get("job");
            assertEquals(2, seen.get("workers").asInt());
            assertEquals(2, seen.get("servers").asInt());
            assertEquals(1 << 14, seen.get("parameters").asInt());
            assertEquals(0, seen.get("link_rate").asLong(), "shared memory");
            double clock = seen.get("clock_seconds").asDouble();
            assertTrue(clock > 0 && seen.get("compute_seconds").asDouble() < clock, seen::toString);
            assertTrue(seen.get("pushed_bytes").asDouble() > 0, seen::toString);
            assertTrue(seen.get("received_bytes").asDouble() > 0, seen::toString);
        }
    }
}
