package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code kill -9} of processes of a job with {@code --on-death wait}: they are started again, and the job ends
 * bit-identical to an undisturbed job.
 */
@Timeout(400)
@EnabledOnOs(value = OS.LINUX, disabledReason = "looks into /proc and /dev/shm")
class RejoinedJobTest {
    private static final Duration PATIENCE = Duration.ofSeconds(150);
    private static final Object[] JOB = {
        "--workers", 3, "--servers", 2, "--features", 1 << 14, "--batch", 16, "--slice", 1_024
    };
    private static final int CLOCKS = 700;

    private static String undisturbed;

    @TempDir
    private Path folder;

    @BeforeAll
    static void runUndisturbed() {
        undisturbed = undisturbed(CLOCKS);
    }

    private static String undisturbed(int clocks, Object... more) {
        List<Object> job = new ArrayList<>(List.of(JOB));
        job.addAll(List.of("--clocks", clocks));
        job.addAll(Arrays.asList(more));
        return LrRun.hash(LrRun.report(job.toArray()));
    }

    private CliRun start(Path json, Object... more) {
        return start(CLOCKS, json, more);
    }

    private CliRun start(int clocks, Path json, Object... more) {
        List<Object> command = new ArrayList<>(List.of("train", "lr", "--json", json));
        command.addAll(Arrays.asList(JOB));
        command.addAll(List.of("--clocks", clocks));
        command.addAll(List.of("--on-death", "wait", "--snapshots", folder.resolve("snapshots")));
        command.addAll(List.of("--snapshot-every", 20));
        command.addAll(Arrays.asList(more));
        return Cli.plain().start(command.toArray());
    }

    private static String command(String node) {
        return (node.startsWith("server") ? "server --index " : "worker lr --index ") + node.split(" ")[1];
    }

    private static void kill(CliRun run, String node) {
        assertTrue(run.child(command(node)).destroyForcibly(), node);
    }

    private static void await(CliRun run, String text, int times) {
        Until.isSo(
                PATIENCE,
                () -> run.err().split(text, -1).length > times || !run.isAlive(),
                () -> times + " times '" + text + "' from " + run);
        assertTrue(run.isAlive(), run::toString);
    }

    private void awaitSnapshots(CliRun run, String node, int files) {
        Until.isSo(
                PATIENCE,
                () -> snapshots(node).size() >= files || !run.isAlive(),
                () -> files + " snapshots of " + node + " of " + run);
        assertTrue(run.isAlive(), run::toString);
    }

    /** Files of a node, oldest first. */
    private List<Path> snapshots(String node) {
        try (Stream<Path> files = Files.list(folder.resolve("snapshots").resolve(node))) {
            return files.filter(file -> file.toString().endsWith(".snapshot"))
                    .sorted()
                    .toList();
        } catch (IOException | UncheckedIOException e) {
            return List.of(); // there is no folder yet, or a file was deleted in the meantime
        }
    }

    private static JsonNode assertUndisturbed(CliRun run, Path json) throws IOException {
        return assertUndisturbed(run, json, undisturbed);
    }

    private static JsonNode assertUndisturbed(CliRun run, Path json, String expected) throws IOException {
        assertEquals(0, run.exitCode(PATIENCE), run::toString);
        run.assertNothingLeft();
        JsonNode report = new ObjectMapper().readTree(json.toFile());
        assertTrue(report.get("replicas_identical").asBoolean(), run::toString);
        assertEquals(expected, LrRun.hash(report), run::toString);
        System.out.println(run.err());
        return report;
    }

    @Test
    @Tag("trial")
    void anElasticJobStartsAgainForAServer() throws IOException {
        assertElasticJobStartsAgain("server 1");
    }

    @Test
    @Tag("trial")
    void anElasticJobStartsAgainForAWorker() throws IOException {
        assertElasticJobStartsAgain("worker 1");
    }

    /** In an elastic job the others do not wait for a dead node: all nodes start again. */
    private void assertElasticJobStartsAgain(String victim) throws IOException {
        Path json = folder.resolve("report.json");
        Object[] places = {"--max-workers", 4, "--max-servers", 3};
        String expected = undisturbed(CLOCKS, places);
        try (CliRun run = start(json, places)) {
            run.awaitTraining();
            awaitSnapshots(run, "worker-0", 2);
            kill(run, victim);
            await(run, "all nodes are started again", 1);
            JsonNode report = assertUndisturbed(run, json, expected);
            assertEquals(0, report.get("nodes_started_again").asInt(), run::toString);
            assertEquals(1, report.get("job_started_again").asInt(), run::toString);
        }
    }

    private void assertSurvives(Predicate<ProcessHandle> end, String nodes, Object... more) throws IOException {
        Path json = folder.resolve("report.json");
        String[] victims = nodes.split(", *");
        try (CliRun run = start(json, more)) {
            run.awaitTraining();
            awaitSnapshots(run, "worker-0", 2);
            for (String victim : victims) {
                assertTrue(end.test(run.child(command(victim))), victim);
            }
            for (String victim : victims) {
                await(run, victim + " is back after", 1);
            }
            JsonNode report = assertUndisturbed(run, json);
            assertEquals(victims.length, report.get("nodes_started_again").asInt(), run::toString);
            assertEquals(0, report.get("job_started_again").asInt(), run::toString);
        }
    }

    @Test
    @Tag("slow")
    void aServerAndAWorkerAreStartedAgain() throws IOException {
        assertSurvives(ProcessHandle::destroyForcibly, "worker 0, server 1", "--transport", "udp", "--tree", "chain");
    }

    /** SIGTERM, as a supervisor or a person sends it: no other node starts again. */
    @Test
    @Tag("trial")
    void nodesThatAreAskedToEndAreStartedAgain() throws IOException {
        assertSurvives(ProcessHandle::destroy, "worker 1, server 1");
    }

    @ParameterizedTest
    @Tag("trial")
    @CsvSource(
            delimiter = ';',
            value = {"worker 1; ipc; auto", "worker 0, server 1; ipc; flat", "worker 0, worker 1; udp; chain"})
    void anyNodesAreStartedAgain(String nodes, String transport, String tree) throws IOException {
        assertSurvives(ProcessHandle::destroyForcibly, nodes, "--transport", transport, "--tree", tree);
    }

    @Test
    @Tag("trial")
    void theSameNodeIsStartedAgainTwice() throws IOException {
        Path json = folder.resolve("report.json");
        try (CliRun run = start(json)) {
            run.awaitTraining();
            kill(run, "worker 2");
            await(run, "worker 2 is back after", 1);
            kill(run, "worker 2");
            await(run, "worker 2 is back after", 2);
            assertUndisturbed(run, json);
        }
    }

    @Test
    @Tag("trial")
    void theWholeJobIsStartedAgainForTheCoordinator() throws IOException {
        Path json = folder.resolve("report.json");
        try (CliRun run = start(json)) {
            run.awaitTraining();
            awaitSnapshots(run, "worker-0", 2);
            kill(run, "server 0");
            await(run, "all nodes are started again", 1);
            assertEquals(
                    1, assertUndisturbed(run, json).get("job_started_again").asInt(), run::toString);
        }
    }

    /**
     * A worker cannot rejoin alone, because its newest snapshots are damaged. All nodes start again, and meanwhile a
     * worker dies, and then the coordinator.
     */
    @Test
    @Tag("trial")
    void failuresWhileAllNodesStartAgain() throws IOException {
        Path json = folder.resolve("report.json");
        try (CliRun run = start(json, "--snapshot-keep", 8)) {
            run.awaitTraining();
            awaitSnapshots(run, "worker-2", 6);
            Root.run(
                    "kill",
                    "-STOP",
                    Long.toString(run.child(command("worker 2")).pid()));
            for (Path file : snapshots("worker-2").reversed().subList(0, 2)) {
                Files.writeString(file, "damaged");
            }
            Set<ProcessHandle> first = run.processes();
            kill(run, "worker 2");
            await(run, "all nodes are started again", 1);
            assertEquals(2, run.err().split("started again as worker 2", -1).length, () -> "once alone: " + run);
            ProcessHandle worker = run.newChild(command("worker 1"), first);
            Set<ProcessHandle> second = run.processes();
            assertTrue(worker.destroyForcibly());
            await(run, "all nodes are started again", 2);
            assertTrue(run.newChild(command("server 0"), second).destroyForcibly());
            JsonNode report = assertUndisturbed(run, json);
            int starts = report.get("job_started_again").asInt();
            assertTrue(starts >= 3, () -> starts + " starts: " + run); // more on a busy machine
        }
    }

    /** Kills any nodes, up to four in a row, of which all but the first die while others start. */
    @Test
    @Tag("trial")
    void nodesDieAgainAndAgain() throws IOException {
        long seed = Long.getLong("sluice.test.seed", System.nanoTime());
        System.out.printf("-Dsluice.test.seed=%d%n", seed);
        Random random = new Random(seed);
        List<String> nodes = List.of("server 0", "server 1", "worker 0", "worker 1", "worker 2");
        int clocks = 6_000;
        Path json = folder.resolve("report.json");
        try (CliRun run = start(clocks, json)) {
            run.awaitTraining();
            for (int burst = 0; burst < 12; burst++) {
                for (int kills = 1 + random.nextInt(4); kills > 0; kills--) {
                    String node = nodes.get(random.nextInt(nodes.size()));
                    assertTrue(run.newChild(command(node), Set.of()).destroyForcibly(), node);
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(4_000)));
                }
                String before = newest();
                Until.isSo(PATIENCE, () -> newest().compareTo(before) > 0, () -> "later than " + before + ": " + run);
            }
            assertUndisturbed(run, json, undisturbed(clocks));
        }
    }

    private String newest() {
        List<Path> files = snapshots("worker-0");
        return files.isEmpty() ? "" : files.getLast().getFileName().toString();
    }
}
