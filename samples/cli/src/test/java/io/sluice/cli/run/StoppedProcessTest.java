package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.messaging.DriverView;
import io.sluice.messaging.counters.CounterReading;
import io.sluice.messaging.counters.CounterType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Processes of a job are stopped for 5 s, less than the liveness time: none is lost, and no bit changes. */
@Tag("slow")
@Timeout(400)
@EnabledOnOs(value = OS.LINUX, disabledReason = "looks into /proc and /dev/shm")
class StoppedProcessTest {
    private static final Object[] TRAINING = {
        "--workers", 3, "--servers", 2, "--features", 1 << 14, "--batch", 16, "--clocks", 500, "--filter", "none"
    };

    @TempDir
    private Path folder;

    @Test
    void isAwaited() throws IOException, InterruptedException {
        Path json = folder.resolve("report.json");
        List<Object> command = command(json);
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

    @Test
    void theOthersRunAsFarAheadAsTheyMay() throws IOException, InterruptedException {
        int staleness = 3;
        Path json = folder.resolve("report.json");
        List<Object> command = command(json);
        command.addAll(List.of("--consistency", "ssp:" + staleness));
        try (CliRun run = Cli.plain().start(command.toArray())) {
            run.awaitTraining();
            long pid = run.child("worker lr --index 1").pid();
            List<String> others = List.of("worker 0", "worker 2");
            try (DriverView driver = DriverView.open(run.jobDirectory())) {
                List<String> nodes = List.of("server 0", "server 1", "worker 0", "worker 1", "worker 2");
                Until.isSo(
                        CliRun.PATIENCE,
                        () -> nodes.stream().allMatch(node -> clock(driver, node) > 0),
                        () -> "clocks of all nodes: " + driver.read().entries());
                Root.run("kill", "-STOP", Long.toString(pid));
                long stoppedNs = System.nanoTime();
                // The version stays at the stopped worker's last push; the others run ahead by one iteration and the
                // bound.
                Until.isSo(
                        CliRun.PATIENCE,
                        () -> Until.millisSince(stoppedNs) > 2_000
                                && others.stream()
                                        .allMatch(other -> clock(driver, other) == version(driver) + 1 + staleness),
                        () -> "the others reach the bound: " + driver.read().entries());
                long version = version(driver);
                List<Long> allowed = Collections.nCopies(others.size(), version + 1 + staleness);
                do {
                    TimeUnit.MILLISECONDS.sleep(100);
                    assertEquals(
                            allowed,
                            others.stream().map(other -> clock(driver, other)).toList());
                    assertEquals(version, version(driver));
                } while (Until.millisSince(stoppedNs) < 5_000);
                Root.run("kill", "-CONT", Long.toString(pid));
            }
            run.assertFine();
        }
        assertEquals(
                0,
                new ObjectMapper().readTree(json.toFile()).get("workers_lost").size());
    }

    private static List<Object> command(Path json) {
        List<Object> command = new ArrayList<>(List.of("train", "lr", "--processes", "--json", json));
        command.addAll(List.of("--liveness-ms", 20_000));
        command.addAll(Arrays.asList(TRAINING));
        return command;
    }

    private static long version(DriverView driver) {
        return Math.min(clock(driver, "server 0"), clock(driver, "server 1"));
    }

    private static long clock(DriverView driver, String node) {
        return driver.read().entries().stream()
                .filter(entry -> CounterType.NODE_CLOCK == entry.type())
                .filter(entry -> node.equals(entry.node()))
                .mapToLong(CounterReading.Entry::value)
                .sum();
    }

    private static Object[] with(Object more) {
        Object[] all = Arrays.copyOf(TRAINING, TRAINING.length + 1);
        all[TRAINING.length] = more;
        return all;
    }
}
