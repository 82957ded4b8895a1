package io.sluice.trials.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.console.ExitCode;
import io.sluice.perf.Perf;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Runs {@code sluice perf chaos} with few events; long trials are started by hand. */
@Timeout(300)
final class ChaosCommandTest {
    /** Two servers and two workers. */
    private static final int NODES = 4;

    @TempDir
    private Path folder;

    private final StringWriter err = new StringWriter();

    /**
     * The seed draws each event once. Corrupt and kill-coordinator kill a node each. The pause stops the media driver
     * for longer than its clients wait, so it ends nodes, too. Ended nodes rejoin, unless server 0 is among them.
     */
    @Test
    @Tag("slow")
    @EnabledOnOs(value = OS.LINUX, disabledReason = "looks into /proc and /dev/shm")
    void replicasEqualTheReferenceAfterKillsPausesAndDamage() throws IOException {
        JsonNode report = chaos("--events", "corrupt,pause,kill-coordinator", "--seed", 25, "--most", 3);
        assertEquals(3, report.get("events").asInt(), report::toPrettyString);
        assertEquals(2, report.get("kills").asInt(), report::toPrettyString);
        int again = report.get("starts").asInt() - report.get("jobs").asInt();
        assertTrue(again >= 1, report::toPrettyString); // for the coordinator
        assertTrue(again + report.get("rejoins").asInt() >= 3, report::toPrettyString);
    }

    /**
     * The seed draws each event once; kill-several kills all possible nodes. Only killed nodes are started again, and
     * each rejoins.
     */
    @Test
    @Tag("trial")
    @EnabledOnOs(value = OS.LINUX, disabledReason = "looks into /proc and /dev/shm")
    void killedNodesRejoinWhileTheOthersWait() throws IOException {
        JsonNode report = chaos("--events", "kill-relay,kill-server,kill-several", "--seed", 1, "--most", 3);
        assertEquals(1, report.get("relay_kills").asInt(), report::toPrettyString);
        assertEquals(2 + NODES - 1, report.get("kills").asInt(), report::toPrettyString);
        assertEquals(report.get("kills"), report.get("rejoins"), report::toPrettyString);
        assertEquals(report.get("jobs"), report.get("starts"), report::toPrettyString);
    }

    @Test
    @Tag("trial")
    @EnabledOnOs(value = OS.LINUX, disabledReason = "looks into /proc and /dev/shm")
    void allNodesAreStartedAgainWithOnDeathFail() throws IOException {
        Object[] job = {"--on-death", "fail", "--transport", "ipc", "--tree", "flat"};
        JsonNode report =
                chaos(Stream.concat(Stream.of("--events", "kill-worker", "--seed", 2, "--most", 1), Stream.of(job))
                        .toArray());
        assertEquals(0, report.get("rejoins").asInt(), report::toPrettyString);
        assertEquals(report.get("jobs").asInt() + 1, report.get("starts").asInt(), report::toPrettyString);
    }

    /** Nodes reject and count all hostile frames that arrive whole, replayed sealed frames included. */
    @Test
    @Tag("trial")
    @EnabledOnOs(value = OS.LINUX, disabledReason = "looks into /proc and /dev/shm")
    void hostileFramesAreRejectedAndCounted() throws IOException {
        Object[] job = {"--seal", "--on-death", "fail", "--tree", "flat", "--liveness-ms", 6_000};
        JsonNode report = chaos(Stream.concat(Stream.of("--events", "none", "--datagrams", 50_000), Stream.of(job))
                .toArray());
        long frames = report.get("frames").asLong();
        assertTrue(frames > 10_000, report::toPrettyString);
        assertTrue(report.get("datagrams").asLong() > 10_000, report::toPrettyString);
        assertEquals(frames, report.get("frames_refused").asLong(), report::toPrettyString);
        assertEquals(report.get("jobs"), report.get("starts"), report::toPrettyString);
    }

    /** The seed draws each event once, joins first. */
    @Test
    @Tag("slow")
    @EnabledOnOs(value = OS.LINUX, disabledReason = "looks into /proc and /dev/shm")
    void replicasEqualThoseOfOneProcessWhileNodesJoinAndLeave() throws IOException {
        Object[] job = {"--max-workers", 3, "--max-servers", 4, "--tree", "flat", "--most", 5, "--seed", 2875};
        String events = "worker-joins,worker-leaves,server-joins,server-leaves,kill-newcomer";
        JsonNode report = chaosOf(
                10_000, // on a fast machine a shorter job ends before the last event takes effect
                Stream.concat(Stream.of("--events", events), Stream.of(job)).toArray());
        assertEquals(report.get("jobs"), report.get("starts"), report::toPrettyString);
        assertTrue(report.get("workers_came").asInt() > 0, report::toPrettyString);
        assertTrue(report.get("workers_gone").asInt() > 0, report::toPrettyString);
        assertTrue(report.get("servers_came").asInt() > 0, report::toPrettyString);
        assertTrue(report.get("servers_gone").asInt() > 0, report::toPrettyString);
    }

    private int run(Stream<?> arguments) {
        CommandLine line = Perf.commandLine();
        line.setOut(new PrintWriter(Writer.nullWriter()));
        line.setErr(new PrintWriter(err, true));
        return line.execute(arguments.map(String::valueOf).toArray(String[]::new));
    }

    private JsonNode chaos(Object... more) throws IOException {
        return chaosOf(3_000, more);
    }

    private JsonNode chaosOf(int clocks, Object... more) throws IOException {
        Path json = folder.resolve("chaos.json");
        Object[] trial = {"chaos", "--network", "loopback", "--minutes", 3, "--json", json};
        Object[] job = {"--servers", 2, "--workers", NODES - 2, "--clocks", clocks, "--snapshot-every", 200};
        assertEquals(ExitCode.OK, run(Stream.of(trial, job, more).flatMap(Arrays::stream)), err::toString);
        JsonNode report = new ObjectMapper().readTree(json.toFile());
        assertTrue(report.get("identical").asBoolean(), report::toPrettyString);
        assertEquals(report.get("reference_hash"), report.get("replica_hash"));
        assertEquals(0, report.get("lost_updates").asInt(), report::toPrettyString);
        assertEquals(0, report.get("unreported_hangs").asInt(), report::toPrettyString);
        assertEquals(0, report.get("unexplained_ends").asInt(), report::toPrettyString);
        return report;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--minutes 0                | --minutes is 0.0, expected more than 0, up to 1440",
                "--events kill-worker,fire  | --events has 'fire', expected kill-worker, kill-relay",
                "--on-death shrink          | --on-death is 'shrink', expected wait or fail",
                "--network wifi             | --network is 'wifi', expected lab, loopback or auto",
                "--workers 0                | --workers is 0, expected 1 to 64",
                "--datagrams -1             | --datagrams is -1",
                "--events worker-leaves       | --events has 'worker-leaves', which needs --max-workers",
                "--max-workers 4 --events corrupt | --events has 'corrupt', expected an event that kills no member",
                "--max-workers 4 --events server-leaves | --events has 'server-leaves', expected --tree flat or auto"
            })
    void invalidOptionsAreRejected(String options, String expected) {
        assertEquals(
                ExitCode.USAGE, run(Stream.concat(Stream.of("chaos"), Stream.of(options.split(" +")))), err::toString);
        assertTrue(err.toString().contains(expected), err::toString);
    }
}
