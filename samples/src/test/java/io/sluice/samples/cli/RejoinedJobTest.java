package io.sluice.samples.cli;

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
 * {@code kill -9} of processes of a job that waits for its dead: they are started again, and the job ends with the bits
 * of one that nobody disturbed.
 */
@Timeout(400)
@EnabledOnOs(value = OS.LINUX, disabledReason = "looks into /proc and /dev/shm")
class RejoinedJobTest {
    private static final Duration PATIENCE = Duration.ofSeconds(150);
    private static final Object[] JOB = {
        "--workers", 3, "--servers", 2, "--features", 1 << 14, "--batch", 16, "--clocks", 1_500, "--slice", 1_024
    };

    private static String undisturbed;

    @TempDir
    private Path folder;

    @BeforeAll
    static void runUndisturbed() {
        undisturbed = LrRun.hash(LrRun.report(JOB));
    }

    private CliRun start(Path json, Object... more) {
        List<Object> command = new ArrayList<>(List.of("train", "lr", "--json", json));
        command.addAll(Arrays.asList(JOB));
        command.addAll(List.of("--on-death", "wait", "--snapshots", folder.resolve("snapshots")));
        command.addAll(List.of("--snapshot-every", 20));
        command.addAll(Arrays.asList(more));
        return Cli.plain().start(command.toArray());
    }

    private static void kill(CliRun run, String node) {
        boolean server = node.startsWith("server");
        String command = (server ? "server --index " : "worker lr --index ") + node.split(" ")[1];
        long startNs = System.nanoTime();
        assertTrue(run.child(command).destroyForcibly(), node);
        System.out.printf("%s killed in %d ms%n", node, Until.millisSince(startNs));
    }

    private static void await(CliRun run, String text, int times) {
        Until.isSo(
                PATIENCE,
                () -> run.err().split(text, -1).length > times || !run.isAlive(),
                () -> times + " times '" + text + "' from " + run);
        assertTrue(run.isAlive(), run::toString);
    }

    private void awaitSnapshot(CliRun run) {
        Until.isSo(PATIENCE, () -> snapshots() > 5 || !run.isAlive(), () -> "snapshots of " + run);
    }

    private long snapshots() {
        if (!Files.exists(folder.resolve("snapshots"))) {
            return 0;
        }
        try (Stream<Path> files = Files.walk(folder.resolve("snapshots"))) {
            return files.filter(file -> file.toString().endsWith(".snapshot")).count();
        } catch (IOException | UncheckedIOException e) {
            return 0; // one was deleted meanwhile
        }
    }

    private static JsonNode assertUndisturbed(CliRun run, Path json) throws IOException {
        assertEquals(0, run.exitCode(PATIENCE), run::toString);
        run.assertNothingLeft();
        JsonNode report = new ObjectMapper().readTree(json.toFile());
        assertTrue(report.get("replicas_identical").asBoolean(), run::toString);
        assertEquals(undisturbed, LrRun.hash(report), run::toString);
        System.out.println(run.err());
        return report;
    }

    private void assertSurvives(String nodes, Object... more) throws IOException {
        Path json = folder.resolve("report.json");
        String[] victims = nodes.split(", *");
        try (CliRun run = start(json, more)) {
            run.awaitTraining();
            awaitSnapshot(run);
            for (String victim : victims) {
                kill(run, victim);
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
        assertSurvives("worker 0, server 1", "--transport", "udp", "--tree", "chain");
    }

    @ParameterizedTest
    @Tag("trial")
    @CsvSource(
            delimiter = ';',
            value = {"worker 1; ipc; auto", "worker 0, server 1; ipc; flat", "worker 0, worker 1; udp; chain"})
    void anyNodesAreStartedAgain(String nodes, String transport, String tree) throws IOException {
        assertSurvives(nodes, "--transport", transport, "--tree", tree);
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
    @Tag("slow")
    void theWholeJobIsStartedAgainForTheCoordinator() throws IOException {
        Path json = folder.resolve("report.json");
        try (CliRun run = start(json)) {
            run.awaitTraining();
            awaitSnapshot(run);
            awaitSnapshot(run);
            kill(run, "server 0");
            await(run, "all nodes are started again", 1);
            assertEquals(
                    1, assertUndisturbed(run, json).get("job_started_again").asInt(), run::toString);
        }
    }
}
