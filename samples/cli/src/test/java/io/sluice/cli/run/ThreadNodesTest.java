package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.console.ExitCode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A job whose nodes are threads of one JVM, compared with one whose nodes are processes. */
@Timeout(400)
@EnabledOnOs(value = OS.LINUX, disabledReason = "looks into /proc and /dev/shm")
class ThreadNodesTest {
    private static final Object[] TRAINING = {
        "--workers", 3, "--servers", 2, "--features", 1 << 14, "--batch", 16, "--clocks", 40
    };

    /** Longer than the driver's timeout for clients (5 s), the clients' for the driver (10 s), and --liveness-ms. */
    private static final int PAUSE_SECONDS = 15;

    @TempDir
    private Path folder;

    private static Object[] with(Object... more) {
        List<Object> all = new ArrayList<>(Arrays.asList(TRAINING));
        all.addAll(Arrays.asList(more));
        return all.toArray();
    }

    @Test
    @Tag("slow")
    void endsWithTheBitsAndTheReportOfProcesses() {
        JsonNode threads = LrRun.report(with());
        JsonNode processes = LrRun.report(with("--processes"));
        assertEquals(LrRun.hash(processes), LrRun.hash(threads));
        assertEquals(names(processes), names(threads));
        for (String same : List.of("final_loss", "test_accuracy", "kept_fraction", "frames_pushed", "exact_bytes")) {
            assertEquals(processes.get(same), threads.get(same), same);
        }
    }

    private static List<String> names(JsonNode report) {
        List<String> names = new ArrayList<>();
        report.fieldNames().forEachRemaining(names::add);
        return names;
    }

    /** The process is stopped (SIGSTOP) for longer than other processes may be silent: no bit changes. */
    @Test
    @Tag("slow")
    void continuesAfterAPause() throws IOException, InterruptedException {
        continuesAfterAPause("ipc");
    }

    @Test
    @Tag("trial")
    void continuesAfterAPauseOverUdp() throws IOException, InterruptedException {
        continuesAfterAPause("udp");
    }

    private void continuesAfterAPause(String transport) throws IOException, InterruptedException {
        Path json = folder.resolve("report.json");
        List<Object> training = List.of("--features", 1 << 14, "--batch", 16, "--clocks", 600, "--filter", "none");
        List<Object> command = new ArrayList<>(List.of("train", "lr", "--json", json, "--transport", transport));
        command.addAll(List.of("--workers", 2, "--servers", 2));
        command.addAll(training);
        try (CliRun run = Cli.plain().start(command.toArray())) {
            run.awaitTraining();
            Root.run("kill", "-STOP", Long.toString(run.pid()));
            TimeUnit.SECONDS.sleep(PAUSE_SECONDS);
            assertTrue(run.isAlive(), run::toString);
            Root.run("kill", "-CONT", Long.toString(run.pid()));
            run.assertFine();
        }
        String hash = LrRun.hash(new ObjectMapper().readTree(json.toFile()));
        List<Object> reference = new ArrayList<>(List.of("--workers", 2, "--reference"));
        reference.addAll(training);
        assertEquals(LrRun.hash(LrRun.report(reference.toArray())), hash);
    }

    /** An update is not finite: the job names the worker that computes it, and ends with the exit code for data. */
    @Test
    @Tag("slow")
    void failsAsProcessesDo() {
        String refusal = refusal();
        assertTrue(refusal.startsWith(ExitCode.DATA + " "), refusal);
        assertEquals(refusal("--processes"), refusal);
    }

    private static String refusal(Object... mode) {
        List<Object> command = new ArrayList<>(List.of("train", "lr", "--learning-rate", 1e300, "--workers", 1));
        command.addAll(List.of("--servers", 1, "--features", 1 << 14));
        command.addAll(Arrays.asList(mode));
        try (CliRun run = Cli.plain().start(command.toArray())) {
            String line = run.assertOneLine();
            assertTrue(line.startsWith("sluice: worker 0: the update of table weights in clock 1 is "), line);
            return run.exitCode() + " " + line;
        }
    }
}
