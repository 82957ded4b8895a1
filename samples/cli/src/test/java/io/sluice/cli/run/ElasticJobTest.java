package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.membership.LocalMembers;
import io.sluice.consistency.terms.WorkerSet;
import io.sluice.messaging.api.Endpoint;
import io.sluice.samples.ReplicaHash;
import io.sluice.samples.UpdateListener;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.SpamAssassin;
import io.sluice.samples.descent.DescentSettings;
import io.sluice.samples.lr.LrReference;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Processes join and leave a running job. A budget makes the job long enough. */
@Timeout(400)
@EnabledOnOs(value = OS.LINUX, disabledReason = "uses /dev/shm")
class ElasticJobTest {
    private static final int CLOCKS = 600;
    private static final int FEATURES = 1 << 14;
    private static final int BATCH = 32;

    /** A worker with children by the plan of rotated:2 for two servers and four workers. */
    private static final int RELAY = 0;

    private static final List<Object> TERMS = List.of("--servers", 2, "--filter", "none", "--budget-rate", "2mbit");

    private static final Pattern WORKER_SETS = Pattern.compile("from clock (\\d+) on workers \\[([0-9, ]+)]");
    private static final Pattern REPLICA = Pattern.compile("worker \\d+: replica ([0-9a-f]{64})");

    private static final Pattern GAINED = Pattern.compile("server 2: owns \\d+ more slices? from clock \\d+ on");

    private static final Pattern LOST = Pattern.compile("server 1: owns (\\d+) fewer (slices?) from clock (\\d+) on");

    private final Path directory = Path.of("/dev/shm", "sluice-test-" + UUID.randomUUID());
    private final List<CliRun> nodes = new ArrayList<>();
    private String cluster;
    private CliRun driver;

    @BeforeEach
    void launch() throws IOException {
        cluster = "127.0.0.1:" + ByHandTest.freePort();
        driver = Cli.plain().start("driver", "--aeron-dir", directory);
        driver.awaitOut("media driver in " + directory);
    }

    @AfterEach
    void close() {
        nodes.forEach(CliRun::close);
        driver.close();
    }

    /** Equals, bit for bit, one process that uses the worker set of each clock. */
    @Test
    @Tag("trial")
    void twoWorkersJoinAndOneLeaves() throws IOException {
        List<CliRun> servers = List.of(coordinator(), start("server", "--cluster", cluster));
        CliRun first = worker();
        CliRun second = worker();
        first.awaitOut(": clock ");
        CliRun third = worker();
        CliRun fourth = worker("--leave-after", 10);
        for (CliRun node : nodes) {
            assertEquals(0, node.exitCode(), () -> nodes.toString());
        }
        assertTrue(fourth.out().contains("has left with an empty residual"), fourth.out());
        List<WorkerSet> workerSets = workerSets(first.out());
        assertEquals(4, workerSets.size(), first::out);
        assertEquals(3, workerSets.getLast().size());
        String reference = reference(workerSets);
        for (CliRun worker : List.of(first, second, third)) {
            assertTrue(workerSets.containsAll(workerSets(worker.out())), worker::out);
            assertEquals(reference, hash(worker));
        }
        servers.forEach(server -> assertTrue(server.out().contains(" 0 frames rejected"), server::out));
    }

    /**
     * With trees, a worker joins as a child and a relay leaves on SIGTERM. The replicas are bit-identical to the
     * single-process reference.
     */
    @Test
    @Tag("trial")
    void aWorkerJoinsAndARelayLeaves() throws IOException {
        List<Object> terms = List.of("--filter", "none", "--transport", "udp", "--tree", "rotated:2");
        List<Object> places = List.of("--servers", 2, "--workers", 4, "--max-workers", 5, "--budget-rate");
        CliRun coordinator = start(Stream.of(
                        List.<Object>of("server", "--coordinate", "--cluster", cluster),
                        places,
                        List.<Object>of("2mbit"),
                        terms)
                .flatMap(List::stream)
                .toArray());
        CliRun server = start("server", "--cluster", cluster);
        CliRun relay = worker("--index", RELAY);
        List<CliRun> others = new ArrayList<>();
        for (int index = 0; index < 4; index++) {
            if (index != RELAY) {
                others.add(worker("--index", index));
            }
        }
        others.getFirst().awaitOut(": clock ");
        others.add(worker());
        ProcessHandle.of(relay.pid()).orElseThrow().destroy();
        for (CliRun node : nodes) {
            assertEquals(0, node.exitCode(), () -> nodes.toString());
        }
        assertTrue(relay.out().contains("has left with an empty residual"), relay.out());
        assertTrue(relay.out().contains(": relayed "), relay.out());
        List<WorkerSet> workerSets = workerSets(others.getFirst().out());
        assertEquals(3, workerSets.size(), others.getFirst()::out);
        String reference = reference(workerSets);
        for (CliRun worker : others) {
            assertTrue(workerSets.containsAll(workerSets(worker.out())), worker::out);
            assertEquals(reference, hash(worker));
        }
        for (CliRun each : List.of(coordinator, server)) {
            assertTrue(each.out().contains(" 0 frames rejected"), each::out);
        }
    }

    /**
     * SIGTERM, as a supervisor sends it: the other server takes over the slices, and the result is bit-identical to
     * that of an undisturbed job.
     */
    @Test
    @Tag("trial")
    void aServerIsDrained() throws IOException {
        CliRun coordinator = coordinator();
        CliRun server = start("server", "--cluster", cluster);
        CliRun first = worker();
        CliRun second = worker();
        first.awaitOut(": clock ");
        ProcessHandle.of(server.pid()).orElseThrow().destroy();
        assertEquals(0, server.exitCode(), server::toString);
        assertTrue(first.isAlive(), "the job continues");
        Matcher lost = LOST.matcher(server.out());
        assertTrue(lost.find() && server.out().contains("server 1: has left"), server::toString);
        for (CliRun node : List.of(coordinator, first, second)) {
            assertEquals(0, node.exitCode(), () -> nodes.toString());
        }
        String gained =
                "server 0: owns " + lost.group(1) + " more " + lost.group(2) + " from clock " + lost.group(3) + " on";
        assertTrue(coordinator.out().contains(gained), coordinator::out);
        List<WorkerSet> workerSets = workerSets(first.out());
        assertEquals(1, workerSets.size(), first::out);
        assertEquals(reference(workerSets), hash(first));
        assertEquals(reference(workerSets), hash(second));
        assertTrue(coordinator.out().contains(" 0 frames rejected"), coordinator::out);
    }

    /** Started by hand while the job runs: the server gets slices, and later those of a leaving server. */
    @Test
    @Tag("slow")
    void aServerIsAdded() throws IOException {
        CliRun coordinator = coordinator("--max-servers", 3, "--slice", 1024);
        CliRun leaver = start("server", "--cluster", cluster);
        CliRun first = worker();
        CliRun second = worker();
        first.awaitOut(": clock ");
        CliRun added = start("server", "--cluster", cluster);
        Until.isSo(
                CliRun.PATIENCE,
                () -> coordinator.err().contains("server 2 owns slices from clock"),
                coordinator::toString);
        CliRun tooMany = start("server", "--cluster", cluster);
        assertEquals(76, tooMany.exitCode(), tooMany::toString);
        assertTrue(tooMany.err().contains("(serverPlaces)"), tooMany::err);
        ProcessHandle.of(leaver.pid()).orElseThrow().destroy();
        for (CliRun node : List.of(coordinator, leaver, added, first, second)) {
            assertEquals(0, node.exitCode(), () -> nodes.toString());
        }
        assertEquals(2, GAINED.matcher(added.out()).results().count(), added::out);
        assertTrue(leaver.out().contains("server 1: has left"), leaver::out);
        assertEquals(reference(workerSets(first.out())), hash(first));
        assertEquals(hash(first), hash(second));
        for (CliRun server : List.of(coordinator, leaver, added)) {
            assertTrue(server.out().contains(" 0 frames rejected"), server::out);
        }
    }

    /** A killed worker is lost, and one that is started by hand takes its place. */
    @Test
    @Tag("trial")
    void aKilledWorkerIsReplaced() throws IOException {
        CliRun coordinator = coordinator("--on-death", "shrink", "--liveness-ms", 4_000);
        CliRun server = start("server", "--cluster", cluster);
        CliRun first = worker();
        CliRun victim = worker();
        first.awaitOut(": clock ");
        ProcessHandle.of(victim.pid()).orElseThrow().destroyForcibly();
        Until.isSo(CliRun.PATIENCE, () -> workerSets(first.out()).size() == 2, first::toString);
        CliRun third = worker();
        for (CliRun node : List.of(coordinator, server, first, third)) {
            assertEquals(0, node.exitCode(), () -> nodes.toString());
        }
        assertEquals(hash(first), hash(third));
        assertEquals(3, workerSets(first.out()).size());
        assertEquals(2, workerSets(first.out()).getLast().size());
    }

    /** The leading coordinator is killed between two changes; the next one has the nodes agree on the second. */
    @Test
    @Tag("trial")
    void theWorkerSetChangesUnderSeveralCoordinators(@TempDir Path folder) throws IOException {
        List<String> addresses =
                LocalMembers.free(3).stream().map(Endpoint::toString).toList();
        String all = String.join(",", addresses);
        List<CliRun> coordinators = new ArrayList<>();
        for (int member = 0; member < addresses.size(); member++) {
            List<Object> own = List.of(
                    "coordinator", "--member", member, "--members", all, "--dir", folder.resolve("member-" + member));
            coordinators.add(start(Stream.of(own, TERMS, List.<Object>of("--workers", 2, "--max-workers", 4))
                    .flatMap(List::stream)
                    .toArray()));
        }
        for (int server = 0; server < 2; server++) {
            start("server", "--coordinators", all);
        }
        CliRun first = workerOf(all);
        CliRun second = workerOf(all);
        first.awaitOut(": clock ");
        CliRun third = workerOf(all);
        Until.isSo(CliRun.PATIENCE, () -> workerSets(first.out()).size() == 2, first::toString);
        CliRun leader = coordinators.stream()
                .filter(each -> each.err().contains("leads the coordinators from now on"))
                .findFirst()
                .orElseThrow();
        ProcessHandle.of(leader.pid()).orElseThrow().destroyForcibly();
        ProcessHandle.of(second.pid()).orElseThrow().destroy();
        for (CliRun node : nodes) {
            if (node != leader) {
                assertEquals(0, node.exitCode(), () -> nodes.toString());
            }
        }
        assertTrue(second.out().contains("has left with an empty residual"), second.out());
        List<WorkerSet> workerSets = workerSets(first.out());
        assertEquals(3, workerSets.size(), first::out);
        String reference = reference(workerSets);
        assertEquals(reference, hash(first));
        assertEquals(reference, hash(third));
    }

    private static String reference(List<WorkerSet> workerSets) throws IOException {
        Dataset data = SpamAssassin.load(FEATURES);
        return ReplicaHash.of(LrReference.train(
                data,
                new DescentSettings(CLOCKS, BATCH, 400, 1),
                workerSets,
                (clock, loss) -> {},
                UpdateListener.NONE));
    }

    private static String hash(CliRun worker) {
        Matcher replica = REPLICA.matcher(worker.out());
        assertTrue(replica.find(), worker::toString);
        return replica.group(1);
    }

    private static List<WorkerSet> workerSets(String out) {
        return WORKER_SETS
                .matcher(out)
                .results()
                .map(found -> new WorkerSet(
                        Long.parseLong(found.group(1)),
                        Arrays.stream(found.group(2).split(", "))
                                .map(Integer::valueOf)
                                .toList()))
                .toList();
    }

    private CliRun coordinator(Object... more) {
        return start(Stream.concat(
                        Stream.of("server", "--coordinate", "--cluster", cluster, "--workers", 2, "--max-workers", 4),
                        Stream.concat(TERMS.stream(), Arrays.stream(more)))
                .toArray());
    }

    private CliRun worker(Object... more) {
        return start(Stream.concat(Stream.of("worker", "lr", "--cluster", cluster), trainer(more))
                .toArray());
    }

    private CliRun workerOf(String coordinators) {
        return start(Stream.concat(Stream.of("worker", "lr", "--coordinators", coordinators), trainer())
                .toArray());
    }

    private static Stream<Object> trainer(Object... more) {
        Stream<Object> own = Stream.of("--clocks", CLOCKS, "--features", FEATURES, "--batch", BATCH);
        return Stream.concat(own, Arrays.stream(more));
    }

    private CliRun start(Object... command) {
        CliRun node = Cli.plain()
                .start(Stream.concat(Arrays.stream(command), Stream.of("--aeron-dir", directory))
                        .toArray());
        nodes.add(node);
        return node;
    }
}
