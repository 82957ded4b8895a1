package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code kill -9} of the leader of three coordinators: another takes over, no node is started again, and the job ends
 * bit-identical to an undisturbed job.
 */
@Timeout(400)
@EnabledOnOs(value = OS.LINUX, disabledReason = "looks into /proc and /dev/shm")
class SeveralCoordinatorsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(150);
    private static final String LEADS = "leads the coordinators from now on";
    private static final Pattern AWAITED =
            Pattern.compile("; waiting up to 600 s for it or another leader of .*, of which 2 must be running;");
    private static final Pattern LEADER = Pattern.compile("coordinator (\\d): " + LEADS);
    private static final Object[] JOB = {
        "--workers", 2, "--servers", 2, "--features", 1 << 14, "--batch", 16, "--clocks", 800, "--slice", 1_024
    };

    private static String undisturbed;

    @TempDir
    private Path folder;

    @BeforeAll
    static void runUndisturbed() {
        undisturbed = LrRun.hash(LrRun.report(JOB));
    }

    private CliRun start(Path json, Object... more) {
        List<Object> command = new ArrayList<>(List.of("train", "lr", "--json", json, "--coordinators", 3));
        command.addAll(Arrays.asList(JOB));
        command.addAll(Arrays.asList(more));
        return Cli.plain().start(command.toArray());
    }

    private Object[] waiting() {
        return new Object[] {"--on-death", "wait", "--snapshots", folder.resolve("snapshots"), "--snapshot-every", 20};
    }

    private Object[] sealing() {
        Path secret = folder.resolve("job.secret");
        try (CliRun run = Cli.plain().start("secret", secret)) {
            assertEquals(0, run.exitCode(PATIENCE), run::toString);
        }
        return new Object[] {"--secret-file", secret, "--seal"};
    }

    /** The coordinators that have led so far, in their order. */
    private static List<String> leaders(CliRun run) {
        List<String> found = new ArrayList<>();
        Matcher matcher = LEADER.matcher(run.err());
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        return found;
    }

    /** Kills the leader, and returns when another leads. */
    private static void killLeader(CliRun run) {
        List<String> before = leaders(run);
        long startNs = System.nanoTime();
        assertTrue(run.child("coordinator --member " + before.getLast()).destroyForcibly());
        Until.isSo(PATIENCE, () -> leaders(run).size() > before.size() || !run.isAlive(), run::toString);
        System.out.printf(
                "coordinator %s killed, %s led after %d ms%n",
                before.getLast(), leaders(run).getLast(), Until.millisSince(startNs));
    }

    private static void kill(CliRun run, String child) {
        assertTrue(run.child(child).destroyForcibly(), child);
    }

    private static void assertUndisturbed(CliRun run, Path json) throws IOException {
        assertEquals(0, run.exitCode(PATIENCE), run::toString);
        run.assertNothingLeft();
        JsonNode report = new ObjectMapper().readTree(json.toFile());
        assertTrue(report.get("replicas_identical").asBoolean(), run::toString);
        assertEquals(undisturbed, LrRun.hash(report), run::toString);
        System.out.println(run.err());
    }

    private static void assertNoNodeWasStartedAgain(CliRun run) {
        assertFalse(run.err().contains("started again as server"), run::toString);
        assertFalse(run.err().contains("started again as worker"), run::toString);
        assertFalse(run.err().contains("all nodes are started again"), run::toString);
    }

    @Test
    @Tag("slow")
    void theLeaderMayDie() throws IOException {
        Path json = folder.resolve("report.json");
        try (CliRun run = start(json, sealing())) {
            run.awaitTraining();
            killLeader(run);
            assertUndisturbed(run, json);
            assertNoNodeWasStartedAgain(run);
        }
    }

    @Test
    @Tag("trial")
    void theDeathOfAnotherCoordinatorHasNoEffect() throws IOException {
        Path json = folder.resolve("report.json");
        try (CliRun run = start(json)) {
            run.awaitTraining();
            List<String> leader = leaders(run);
            assertEquals(1, leader.size(), run::toString);
            int other = leader.equals(List.of("0")) ? 1 : 0;
            kill(run, "coordinator --member " + other);
            assertUndisturbed(run, json);
            assertEquals(leader, leaders(run), run::toString);
            assertTrue(run.err().contains("started again as coordinator " + other), run::toString);
            assertFalse(run.err().contains("silent for"), run::toString);
            assertNoNodeWasStartedAgain(run);
        }
    }

    @ParameterizedTest
    @Tag("trial")
    @ValueSource(longs = {1, 2})
    void leadersDieAtAnyMomentAndAgain(long seed) throws IOException, InterruptedException {
        SplittableRandom random = new SplittableRandom(seed);
        Path json = folder.resolve("report.json");
        try (CliRun run = start(json, waiting())) {
            Until.isSo(PATIENCE, () -> !leaders(run).isEmpty() || !run.isAlive(), run::toString);
            for (int kills = 0; kills < 3 && run.isAlive(); kills++) {
                Thread.sleep(random.nextInt(6_000)); // any moment: also while nodes join
                if (run.isAlive()) {
                    killLeader(run);
                }
            }
            assertUndisturbed(run, json);
            assertNoNodeWasStartedAgain(run);
        }
    }

    @Test
    @Tag("trial")
    void nodesWaitForAStoppedMajority() throws IOException, InterruptedException {
        Path json = folder.resolve("report.json");
        try (CliRun run = start(json)) {
            run.awaitTraining();
            List<String> stopped = new ArrayList<>();
            for (int member = 0; member < 2; member++) {
                stopped.add(Long.toString(
                        run.child("coordinator --member " + member).pid()));
                Root.run("kill", "-STOP", stopped.getLast());
            }
            Until.isSo(PATIENCE, () -> AWAITED.matcher(run.err()).find() || !run.isAlive(), run::toString);
            assertTrue(run.isAlive(), run::toString);
            for (String pid : stopped) {
                Root.run("kill", "-CONT", pid);
            }
            assertUndisturbed(run, json);
            assertNoNodeWasStartedAgain(run);
        }
    }

    @Test
    @Tag("trial")
    void aServerRejoinsUnderAnotherLeader() throws IOException {
        Path json = folder.resolve("report.json");
        try (CliRun run = start(json, waiting())) {
            run.awaitTraining();
            kill(run, "server --index 0");
            killLeader(run);
            Until.isSo(PATIENCE, () -> run.err().contains("server 0 is back") || !run.isAlive(), run::toString);
            assertUndisturbed(run, json);
        }
    }
}
