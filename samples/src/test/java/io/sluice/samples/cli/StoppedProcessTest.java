package io.sluice.samples.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
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

/** Processes of a job are stopped for 5 s, which the job was told to expect: it is no death, and changes no bit. */
@Tag("slow")
@Timeout(240)
@EnabledOnOs(value = OS.LINUX, disabledReason = "looks into /proc and /dev/shm")
class StoppedProcessTest {
    private static final Object[] TRAINING = {
        "--workers", 3, "--servers", 2, "--features", 1 << 14, "--batch", 16, "--clocks", 2_500, "--filter", "none"
    };

    @TempDir
    private Path folder;

    @Test
    void isAwaited() throws IOException, InterruptedException {
        Path json = folder.resolve("report.json");
        List<Object> command = new ArrayList<>(List.of("train", "lr", "--json", json, "--liveness-ms", 7_000));
        command.addAll(Arrays.asList(TRAINING));
        try (CliRun run = Cli.plain().start(command.toArray())) {
            run.awaitTraining();
            for (String process : List.of("worker lr --index 1", "server --index 0 --coordinate")) {
                long pid = run.child(process).pid();
                Root.run("kill", "-STOP", Long.toString(pid));
                TimeUnit.SECONDS.sleep(5);
                assertTrue(run.isAlive(), run::toString);
                Root.run("kill", "-CONT", Long.toString(pid));
            }
            run.assertFine();
        }
        String hash = LrRun.hash(new ObjectMapper().readTree(json.toFile()));
        assertEquals(LrRun.hash(LrRun.report(with("--reference"))), hash);
    }

    private static Object[] with(Object more) {
        Object[] all = Arrays.copyOf(TRAINING, TRAINING.length + 1);
        all[TRAINING.length] = more;
        return all;
    }
}
