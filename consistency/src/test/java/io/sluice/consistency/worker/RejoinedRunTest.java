package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.codecs.Property;
import io.sluice.codecs.api.ClusterSecret;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.StoppableClock;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.snapshot.SnapshotFiles;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.ThreadingMode;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.messaging.DriverView;
import io.sluice.messaging.counters.CounterType;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Under {@link DeathPolicy#WAIT} any workers and servers die and rejoin while the others wait, any number of times: all
 * end bit-identical to an undisturbed run.
 */
@Timeout(180)
class RejoinedRunTest {
    private static final int CLOCKS = 60;
    private static final List<Shape> SHAPES = List.of(new Shape("w", 13, 31), new Shape("bias", 1, 1));
    private static final List<String> TREES = List.of("flat", "chain", "stripes", "rotated:2");
    private static final String EVERY_4 = "4";
    private static final String NEVER = "100000";

    private static TestDriver driver;

    @TempDir
    private Path folder;

    private final Map<String, StoppableClock> clocks = new ConcurrentHashMap<>();
    private final Map<Integer, float[]> last = new ConcurrentHashMap<>();
    private final Map<Integer, Long> pushed = new ConcurrentHashMap<>();
    private final AtomicLong furthest = new AtomicLong();

    /** Keeps the run going until all planned deaths have happened. */
    private volatile boolean mayEnd = true;

    private long clockMs = 5;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launchForLongFrames();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    private static ClusterSettingsBuilder terms() {
        return TestCluster.terms().livenessMs(20_000).onDeath(DeathPolicy.WAIT);
    }

    private TestCluster cluster(ClusterSettings settings, Path here, String interval) {
        clocks.clear();
        last.clear();
        pushed.clear();
        furthest.set(0);
        return TestCluster.of(driver, settings)
                .incarnations(20)
                .adjust(context -> {
                    String role = context instanceof ServerContext ? "server " : "worker ";
                    StoppableClock clock = new StoppableClock();
                    clocks.put(role + context.index(), clock);
                    context.snapshots(here).clock(clock);
                })
                .adjustServers(server -> {
                    if (0 == server.index()) {
                        server.takeSnapshots(interval, false);
                    }
                });
    }

    private void train(Worker worker, Updates updates) {
        List<Table> tables = updates.declare(worker);
        FactorTable factors = declareFactors(worker);
        worker.start(updates::initial);
        for (long round = worker.completed() + 1; round <= CLOCKS; round++) {
            while (CLOCKS == round && !mayEnd && !Thread.currentThread().isInterrupted()) {
                tables.getFirst().sync(); // detects that it was declared dead
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
            Updates.weigh(worker, round);
            for (Table table : tables) {
                table.update(update(table, updates, worker.index(), round));
            }
            addGroups(factors, worker.index(), round);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(clockMs));
            worker.clock();
            furthest.accumulateAndGet(round, Math::max);
        }
        worker.drain();
        last.put(worker.index(), parameters(tables.getFirst(), factors));
        pushed.put(worker.index(), worker.stats().framesPushed());
    }

    /** A factor table whose selection keeps a residual, which a worker that returns must have. */
    private static FactorTable declareFactors(Worker worker) {
        return worker.factors("factors", 5, 7, 2, "power:1");
    }

    /** Adds two groups that depend on the matrix. */
    private static void addGroups(FactorTable table, int worker, long round) {
        FloatView matrix = table.sync();
        for (int group = 0; group < 2; group++) {
            float[] u = new float[table.rows()];
            float[] v = new float[table.columns()];
            for (int i = 0; i < u.length; i++) {
                u[i] = (float) Math.sin(round * 3 + worker + group + i) - 0.1f * matrix.get(i);
            }
            for (int i = 0; i < v.length; i++) {
                v[i] = (float) Math.cos(round + 2 * worker + group * i);
            }
            table.add(u, v);
        }
    }

    private static float[] parameters(Table table, FactorTable factors) {
        float[] values = Updates.copy(table);
        float[] all = Arrays.copyOf(values, values.length + (int) factors.view().size());
        factors.view().copyTo(0, all, values.length, (int) factors.view().size());
        return all;
    }

    /** The update depends on the parameters, so a worker that computes on the wrong version is detected. */
    private static float[] update(Table table, Updates updates, int worker, long round) {
        FloatView parameters = table.sync();
        float[] update = updates.of(table.spec(), worker, round).clone();
        for (int i = 0; i < update.length; i++) {
            update[i] -= 0.25f * parameters.get(i);
        }
        return update;
    }

    /**
     * The result of a run.
     *
     * @param replicas replicas by worker
     * @param pushed   data frames by worker
     * @param taken    data frames accepted of all workers, by server
     */
    private record Outcome(Map<Integer, float[]> replicas, Map<Integer, Long> pushed, List<Long> taken) {}

    private static List<Long> taken(List<ServerReport> reports) {
        return reports.stream().map(ServerReport::framesTaken).toList();
    }

    private static Outcome undisturbed(ClusterSettings settings, Updates updates) {
        Map<Integer, float[]> expected = new ConcurrentHashMap<>();
        Map<Integer, Long> frames = new ConcurrentHashMap<>();
        ClusterSettings calm = ClusterSettings.builder()
                .servers(settings.servers())
                .workers(settings.workers())
                .filter(settings.table("").filter())
                .rule(settings.table("").rule())
                .values(settings.table("").values().configName())
                .sliceElements(settings.sliceElements())
                .build();
        List<ServerReport> reports = TestCluster.run(driver, calm, worker -> {
            List<Table> tables = updates.declare(worker);
            FactorTable factors = declareFactors(worker);
            worker.start(updates::initial);
            for (long round = 1; round <= CLOCKS; round++) {
                Updates.weigh(worker, round);
                for (Table table : tables) {
                    table.update(update(table, updates, worker.index(), round));
                }
                addGroups(factors, worker.index(), round);
                worker.clock();
            }
            worker.drain();
            expected.put(worker.index(), parameters(tables.getFirst(), factors));
            frames.put(worker.index(), worker.stats().framesPushed());
        });
        return new Outcome(expected, frames, taken(reports));
    }

    /** Lets a node die by a fault of its own when some node has reached a clock. */
    private StoppableClock kill(String node, long at) {
        Deadline.await("clock " + at + " is reached", () -> furthest.get() >= at);
        Deadline.await(node + " has begun", () -> clocks.containsKey(node)); // clock 0 is reached before
        StoppableClock clock = clocks.get(node);
        clock.fail("sluice-membership");
        return clock;
    }

    private void killAndAwait(String node, long at) {
        StoppableClock dead = kill(node, at);
        Deadline.await(node + " lives again", () -> clocks.get(node) != dead);
    }

    /** Requires the frame counts of a run without deaths: repeated frames count once. */
    private void requireSame(Outcome expected, TestCluster cluster) {
        assertEquals(expected.replicas.keySet(), last.keySet());
        expected.replicas.forEach(
                (worker, replica) -> assertArrayEquals(replica, last.get(worker), "worker " + worker));
        assertEquals(expected.pushed, pushed);
        assertEquals(expected.taken, taken(cluster.reports()));
    }

    private static void requireDeaths(TestCluster cluster, int atLeast) {
        List<String> deaths = cluster.deaths();
        assertTrue(deaths.size() >= atLeast, deaths + "");
        assertTrue(deaths.stream().allMatch(death -> death.contains("a fault for the test")), deaths + "");
    }

    private void holdsFor(ClusterSettings settings, String interval, String... nodes) {
        Updates updates = new Updates(11, SHAPES);
        Outcome expected = undisturbed(settings, updates);
        try (TestCluster cluster = cluster(settings, folder, interval).serve()) {
            cluster.train(worker -> train(worker, updates));
            for (String node : nodes) {
                kill(node, 10);
            }
            cluster.awaitSuccess();
            requireSame(expected, cluster);
            requireDeaths(cluster, nodes.length);
        }
    }

    @Test
    void aWorkerRejoins() {
        holdsFor(terms().build(), EVERY_4, "worker 1");
    }

    @Test
    @Tag("slow")
    void aWorkerRejoinsAtTheBeginningWithoutASnapshot() {
        holdsFor(terms().transport(TransportKind.UDP).build(), NEVER, "worker 0");
    }

    /** Frames without values, which have a weight only, are repeated too. */
    @Tag("slow")
    @Test
    void weightsAreRepeated() {
        holdsFor(terms().rule("mean;weighted").filter("dvf:1").build(), EVERY_4, "server 1", "worker 1");
    }

    @Tag("slow")
    @Test
    void aServerRejoins() {
        holdsFor(terms().transport(TransportKind.UDP).build(), EVERY_4, "server 1");
    }

    @Test
    @Tag("slow")
    void aServerRejoinsAtTheBeginningInSharedMemory() {
        holdsFor(terms().build(), NEVER, "server 1");
    }

    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @ValueSource(strings = {"chain", "stripes", "rotated:2"})
    void relaysRejoin(String tree) {
        holdsFor(terms().transport(TransportKind.UDP).tree(tree).build(), EVERY_4, "worker 0", "worker 1");
    }

    @Test
    @Tag("slow")
    void allButTheCoordinatorMayDieAtOnce() {
        holdsFor(terms().filter("dvf:1").build(), EVERY_4, "server 1", "worker 0", "worker 1", "worker 2");
    }

    /** A node that trains a clock again draws what it drew the first time. */
    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @ValueSource(strings = {"sign;warmup=2", "tern", "qsgd:5;feedback"})
    void quantisersRepeatTheirDraws(String filter) {
        holdsFor(terms().filter(filter).build(), EVERY_4, "server 1", "worker 0", "worker 2");
    }

    @Test
    @Tag("slow")
    void replicasAreEqualWhicheverNodeDies() {
        Property.holds(2, random -> {
            ClusterSettingsBuilder terms = terms().filter(random.nextBoolean() ? "dvf:1" : "none")
                    .values(random.nextBoolean() ? "f32" : "bf16")
                    .transport(random.nextBoolean() ? TransportKind.IPC : TransportKind.UDP)
                    .order(random.nextBoolean() ? "fifo" : "layer")
                    .tree(TREES.get(random.nextInt(TREES.size())));
            boolean sealed = random.nextBoolean();
            ClusterSettings settings = terms.seal(sealed).build();
            Updates updates = new Updates(random.nextLong(), SHAPES);
            Outcome expected = undisturbed(settings, updates);
            Path here = folder.resolve("seed " + random.nextLong());
            int deaths = 4 + random.nextInt(4);
            try (TestCluster cluster = cluster(settings, here, random.nextInt(4) == 0 ? NEVER : EVERY_4)) {
                if (sealed) {
                    ClusterSecret secret = ClusterSecret.of("a secret of sixteen bytes or more".getBytes());
                    cluster.adjust(context -> context.secret(secret));
                }
                mayEnd = false;
                cluster.serve().train(worker -> train(worker, updates));
                for (int death = 0; death < deaths; death++) {
                    killAndAwait(victim(random), Math.min(CLOCKS - 5, random.nextInt(CLOCKS)));
                }
                mayEnd = true;
                cluster.awaitSuccess();
                requireSame(expected, cluster);
                requireDeaths(cluster, deaths);
            }
        });
    }

    private static String victim(SplittableRandom random) {
        int drawn = random.nextInt(4);
        return 3 == drawn ? "server 1" : "worker " + drawn;
    }

    /**
     * A server that rejoins computes all versions again without waiting for workers. Each worker pushes a third of what
     * the server broadcasts, so pushes arrive faster than the server's link accepts broadcasts. The urgent small table
     * must not be a version ahead of the large one, because workers that rejoin need the versions in order.
     */
    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @ValueSource(strings = {"IPC", "UDP"})
    void aRejoinedServerSendsVersionsInOrder(String transport) {
        int rounds = 8;
        ClusterSettings settings = terms().transport(TransportKind.valueOf(transport))
                .order("layer")
                .sliceElements(1_024)
                .linkBudget("50mbit", 8_000)
                .build();
        AtomicLong begun = new AtomicLong();
        try (TestCluster cluster = cluster(settings, folder, NEVER)
                        .adjust(context -> context.progressNs(TimeUnit.SECONDS.toNanos(15)))
                        .serve();
                DriverView view = DriverView.open(driver.directory())) {
            cluster.train(worker -> {
                Table small = worker.table("small", 2, 1_024);
                Table large = worker.table("large", 60, 1_024);
                worker.start(Initialiser.ZEROS);
                begun.incrementAndGet();
                int[] rows = IntStream.range(0, 60)
                        .filter(row -> row % 3 == worker.index())
                        .toArray();
                for (long round = 1; round <= rounds; round++) {
                    small.sync();
                    small.update(ones(2 * 1_024));
                    large.sync();
                    large.updateRows(rows, ones(rows.length * 1_024));
                    worker.clock();
                    furthest.accumulateAndGet(round, Math::max);
                    while (rounds == round
                            && begun.get() < 6
                            && !Thread.currentThread().isInterrupted()) {
                        small.sync(); // detects that it was declared dead
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
                    }
                }
                worker.drain();
                assertEquals(3 * rounds, small.get(1, 1_023));
                assertEquals(rounds, large.get(59, 1_023));
            });
            killAndAwait("server 1", rounds);
            Deadline.await(
                    "server 1 has computed all versions again",
                    () -> !has(view, CounterType.NODE_EPOCH, 0) && has(view, CounterType.NODE_CLOCK, rounds));
            for (int worker = 0; worker < 3; worker++) {
                kill("worker " + worker, rounds);
            }
            cluster.awaitSuccess();
            requireDeaths(cluster, 4);
        }
    }

    /** Whether some incarnation of server 1 has a counter with a value. */
    private static boolean has(DriverView view, CounterType type, long value) {
        return view.read().entries().stream()
                .anyMatch(entry ->
                        type == entry.type() && entry.key().name().equals("server 1") && value == entry.value());
    }

    /**
     * A server dies while the workers compute, and they push more than their outboxes hold while it rejoins: they
     * receive nothing until it accepts pushes, and it must continue although no link accepts what it broadcasts.
     */
    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @ValueSource(strings = {"IPC", "UDP"})
    void aRejoinedServerDoesNotWaitForWorkersThatPush(String transport) {
        int rounds = 8;
        ClusterSettings settings = terms().transport(TransportKind.valueOf(transport))
                .order("layer")
                .sliceElements(8_192)
                .build();
        try (TestCluster cluster = cluster(settings, folder, NEVER)
                .adjust(context -> context.progressNs(TimeUnit.SECONDS.toNanos(25)))
                .adjustWorkers(context -> context.outboxFrames(2))
                .serve()) {
            cluster.train(worker -> {
                Table small = worker.table("small", 2, 8_192);
                Table large = worker.table("large", 256, 8_192);
                worker.start(Initialiser.ZEROS);
                for (long round = 1; round <= rounds; round++) {
                    for (Table table : List.of(small, large)) {
                        table.sync();
                        furthest.accumulateAndGet(table == large ? round : 0, Math::max);
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
                        table.update(ones((int) table.view().size()));
                    }
                    worker.clock();
                }
                worker.drain();
                assertEquals(3 * rounds, small.get(1, 8_191));
                assertEquals(3 * rounds, large.get(255, 8_191));
            });
            kill("server 1", rounds / 2);
            cluster.awaitSuccess();
            requireDeaths(cluster, 1);
        }
    }

    private static float[] ones(int elements) {
        float[] update = new float[elements];
        Arrays.fill(update, 1);
        return update;
    }

    /**
     * A half-full log orders a snapshot although no interval does; without one, frames that a server needs would be
     * released.
     */
    @Test
    @Tag("slow")
    void aFillingLogOrdersASnapshot() {
        clockMs = 25;
        ClusterSettings settings = terms().heartbeatMs(20).sliceElements(4_096).build();
        Updates updates = new Updates(5, List.of(new Shape("w", 64, 256)));
        Outcome expected = undisturbed(settings, updates);
        try (TestCluster cluster = cluster(settings, folder, NEVER)
                .adjust(context -> context.retainBytes(1 << 20))
                .serve()) {
            mayEnd = false;
            cluster.train(worker -> train(worker, updates));
            Deadline.await("server 1 has a snapshot", () -> SnapshotFiles.exist(folder.resolve("server-1")));
            kill("server 1", CLOCKS - 10);
            mayEnd = true;
            cluster.awaitSuccess();
            requireSame(expected, cluster);
            requireDeaths(cluster, 1);
        }
    }

    /** The trainer's own calls send here, so the exception leaves the worker by one of them. */
    @Tag("slow")
    @Test
    void allNodesLearnThatTooLittleWasRetainedForAServer() {
        ClusterSettings settings = terms().workers(1).sliceElements(16_384).build();
        Updates updates = new Updates(5, List.of(new Shape("w", 1_024, 1_024)));
        try (TestCluster cluster = cluster(settings, folder, NEVER)
                .incarnations(1)
                .adjustWorkers(context -> context.retainBytes(1 << 20).sending(ThreadingMode.INVOKER))
                .serve()) {
            mayEnd = false;
            cluster.train(worker -> train(worker, updates));
            kill("server 1", 2);
            cluster.awaitEnd("server 1");
            cluster.serve(1);
            for (String node : List.of("worker 0", "server 0")) {
                ClusterException failure = cluster.awaitFailure(node);
                assertEquals(Failure.PEER_LOST, failure.failure(), failure.getMessage());
                String message = failure.getMessage();
                assertTrue(message.contains("server 1 rejoined at clock "), message);
                assertTrue(message.contains("were too few for the pushes since then"), message);
            }
        }
    }

    /** A worker that requests missing frames has two further links for a while. */
    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @ValueSource(strings = {"flat", "chain"})
    void noLinkLeadsToAFormerAddress(String tree) {
        ClusterSettings settings =
                terms().transport(TransportKind.UDP).tree(tree).build();
        AtomicLong begun = new AtomicLong();
        try (TestCluster cluster = cluster(settings, folder, EVERY_4).serve();
                DriverView view = DriverView.open(driver.directory())) {
            mayEnd = false;
            cluster.train(worker -> {
                begun.addAndGet(1 == worker.index() ? 1 : 0);
                train(worker, new Updates(4, SHAPES));
            });
            for (int death = 1; death <= 5; death++) {
                killAndAwait("worker 1", 5);
                long lives = 1 + death;
                Deadline.await("it trains again", () -> begun.get() == lives);
            }
            Deadline.eventually(() -> {
                for (String from : List.of("server 0", "server 1", "worker 0", "worker 2")) {
                    long links = view.read().entries().stream()
                            .filter(entry -> CounterType.LINK_CONNECTED == entry.type())
                            .filter(entry -> entry.key().name().equals(from + " to worker 1"))
                            .count();
                    assertTrue(links <= 3, links + " links of " + from);
                }
            });
            mayEnd = true;
            cluster.awaitSuccess();
        }
    }

    @Tag("slow")
    @Test
    void theWaitHasALimit() {
        try (TestCluster cluster = cluster(terms().build(), folder, EVERY_4)
                .incarnations(1)
                .adjustServers(server -> server.waitLimitNs(TimeUnit.MILLISECONDS.toNanos(1_500)))
                .serve()) {
            cluster.train(worker -> train(worker, new Updates(3, SHAPES)));
            kill("worker 2", 5);
            ClusterException failure = cluster.awaitFailure("worker 0");
            assertEquals(Failure.TIMEOUT, failure.failure(), failure.getMessage());
            assertTrue(failure.getMessage().contains("did not rejoin within the 1 s"), failure.getMessage());
        }
    }

    @Tag("slow")
    @Test
    void aTakenPlaceIsRefused() {
        ClusterSettings settings = terms().livenessMs(1_000).build();
        try (TestCluster cluster =
                cluster(settings, folder, EVERY_4).incarnations(1).serve()) {
            cluster.train(worker -> {
                train(worker, new Updates(3, SHAPES));
                Deadline.await("the second is refused", () -> furthest.get() > CLOCKS);
            });
            Deadline.await("it trains", () -> furthest.get() >= 1);
            cluster.train("another", 1, worker -> {});
            ClusterException failure = cluster.awaitFailure("another");
            furthest.set(CLOCKS + 1);
            assertEquals(Failure.REFUSED, failure.failure(), failure.getMessage());
            assertTrue(failure.getMessage().contains("worker 1 has already joined"), failure.getMessage());
        }
    }
}
