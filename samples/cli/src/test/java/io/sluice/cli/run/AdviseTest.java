package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.console.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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
            JsonNode seen = advice("--running", "--aeron-dir", job.jobDirectory(), "--seconds", 3)
                    .get("job");
            assertEquals(2, seen.get("workers").asInt());
            assertEquals(2, seen.get("servers").asInt());
            // counters are not read at one moment, so a clock may be half in
            assertEquals(1 << 14, seen.get("parameters").asInt(), 0.1 * (1 << 14));
            assertEquals(0, seen.get("link_rate").asLong(), "shared memory");
            double clock = seen.get("clock_seconds").asDouble();
            assertTrue(clock > 0 && seen.get("compute_seconds").asDouble() < clock, seen::toString);
            assertTrue(seen.get("pushed_bytes").asDouble() > 0, seen::toString);
            assertTrue(seen.get("received_bytes").asDouble() > 0, seen::toString);
            assertEquals("auto", seen.get("setup").get("tree").asText(), "as the coordinator has announced it");
        }
    }

    @Test
    void endsWithTheJobThatItWatches() {
        try (CliRun job = EndlessJob.training();
                CliRun advise = Cli.plain()
                        .start("advise", "--running", "--aeron-dir", job.jobDirectory(), "--seconds", 3_600)) {
            Until.isSo(
                    Duration.ofMinutes(2),
                    () -> maps(advise).contains(job.jobDirectory().toString()),
                    () -> "the watch of " + advise);
            ProcessHandle.of(job.pid()).orElseThrow().destroy();
            assertEquals(ExitCode.UNAVAILABLE, advise.exitCode(Duration.ofSeconds(30)), advise::toString);
            assertTrue(advise.assertOneLine().contains(" media driver in "), advise::toString);
        }
    }

    /** The files that a process has in its memory: the counters while it watches. */
    private static String maps(CliRun run) {
        try {
            return Files.readString(Path.of("/proc", String.valueOf(run.pid()), "maps"));
        } catch (IOException e) {
            throw new AssertionError("the memory of " + run, e);
        }
    }
}
