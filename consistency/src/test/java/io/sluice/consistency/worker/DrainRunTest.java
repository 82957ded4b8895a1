package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.seal.ClusterSecret;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.Property;
import io.sluice.consistency.StoppableClock;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.membership.ClusterSettings;
import io.sluice.consistency.membership.DeathPolicy;
import io.sluice.consistency.membership.PlacementKind;
import io.sluice.consistency.membership.TransportKind;
import io.sluice.consistency.server.Server;
import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.server.SliceMove;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Servers that are drained while a job runs: at every version, the replicas have the bits of a run without that. */
@Timeout(120)
class DrainRunTest {
    private static final List<Shape> SHAPES =
            List.of(new Shape("w", 13, 31), new Shape("b", 1, 1), new Shape("u", 5, 3), new Shape("v", 40, 16));
    private static final ClusterSecret SECRET =
            ClusterSecret.of("a secret for tests, long enough".getBytes(StandardCharsets.US_ASCII));
    private static final int MORE_CLOCKS = 5;

    private static TestDriver driver;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    @ParameterizedTest
    @CsvSource({
        "3, 2, ipc, none, f32, fifo, false",
        "3, 4, udp, none, f32, fifo, false",
        "2, 3, ipc, none, f32, random:3, false",
        "2, 3, udp, none, f32, layer, true",
        "3, 4, ipc, dvf:1.5, f32, fifo, false",
        "2, 3, udp, dvf:1.5, bf16, fifo, true",
    })
    void allVersionsAreThoseOfARunWithoutIt(
            int seeds, int servers, String medium, String filter, String values, String order, boolean sealed) {
        Property.holds(seeds, random -> {
            int workers = random.nextInt(1, 4);
            ClusterSettings settings = TestCluster.terms()
                    .servers(servers)
                    .workers(workers)
                    .places(workers)
                    .transport("ipc".equals(medium) ? TransportKind.IPC : TransportKind.UDP)
                    .filter(filter)
                    .values(values)
                    .order(order)
                    .seal(sealed)
                    .build();
            Updates updates = new Updates(random.nextLong(), SHAPES);
            Run drained = new Run(settings, updates, Long.MAX_VALUE, sealed);
            List<ServerReport> reports = drained.play(random);
            Run undisturbed = new Run(settings, updates, drained.end.get(), sealed);
            undisturbed.play(null);
            assertEquals(undisturbed.versions.keySet(), drained.versions.keySet());
            undisturbed.versions.forEach((what, expected) ->
                    assertArrayEquals(expected, drained.versions.get(what), () -> what + " of " + drained.end));
            requireMoves(reports);
        });
    }

    /** What one gives another takes, and those who are drained have nothing left. */
    private static void requireMoves(List<ServerReport> reports) {
        int came = 0;
        int went = 0;
        for (ServerReport report : reports) {
            assertEquals(0, report.framesRejected());
            came += report.moves().stream().mapToInt(SliceMove::came).sum();
            went += report.moves().stream().mapToInt(SliceMove::went).sum();
        }
        assertTrue(went > 0);
        assertEquals(went, came);
    }

    /** One training, and what the replicas of its workers are at each version. */
    private static final class Run {
        private final ClusterSettings settings;
        private final Updates updates;
        private final TestCluster cluster;
        private final AtomicLong end;
        private final AtomicLong furthest = new AtomicLong();
        private final Map<String, float[]> versions = new ConcurrentHashMap<>();

        Run(ClusterSettings settings, Updates updates, long end, boolean sealed) {
            this.settings = settings;
            this.updates = updates;
            this.end = new AtomicLong(end);
            this.cluster = TestCluster.of(driver, settings);
            if (sealed) {
                cluster.adjust(context -> context.secret(SECRET));
            }
        }

        /** Drains servers if there is a random number to say when. */
        List<ServerReport> play(SplittableRandom random) {
            try (cluster) {
                cluster.serve();
                cluster.train(this::train);
                if (null != random) {
                    drain(random);
                }
                cluster.awaitSuccess();
                for (Throwable told : cluster.errors()) {
                    String sentence = told.getMessage();
                    assertTrue(sentence.matches("server \\d (owns no slices from|may leave).*"), told::toString);
                }
                return cluster.reports();
            }
        }

        private void drain(SplittableRandom random) {
            List<Integer> leavers = new ArrayList<>();
            for (int server = 1; server < settings.servers(); server++) {
                if (leavers.isEmpty() || random.nextBoolean()) {
                    leavers.add(server);
                }
            }
            for (int leaver : leavers) {
                long clock = furthest.get() + random.nextLong(0, 40);
                Server server = cluster.server(leaver);
                Deadline.await(
                        "somebody is at clock " + clock,
                        () -> furthest.get() >= clock || !cluster.failures().isEmpty());
                assertEquals(Map.of(), cluster.failures());
                server.drain();
            }
            for (int leaver : leavers) {
                Throwable failure = cluster.awaitEnd("server " + leaver);
                if (null != failure) {
                    throw new AssertionError("server " + leaver + " failed; all: " + cluster.failures(), failure);
                }
                assertTrue(cluster.server(leaver).isDrained());
            }
            end.set(furthest.get() + MORE_CLOCKS);
        }

        private void train(Worker worker) {
            List<Table> tables = updates.declare(worker);
            worker.start(updates::initial);
            while (worker.completed() < end.get()) {
                long round = worker.completed() + 1;
                for (Table table : tables) {
                    table.sync();
                    note(worker, table);
                    if (round % 5 != table.spec().id()) { // else it is pushed by the end of the clock
                        table.update(updates.of(table.spec(), worker.index(), round));
                    }
                }
                worker.clock();
                furthest.accumulateAndGet(round, Math::max);
            }
            worker.drain();
            tables.forEach(table -> note(worker, table));
            assertEquals(0, worker.framesRejected());
        }

        /** As it is when it has just been synced: more of it may come in with other tables. */
        private void note(Worker worker, Table table) {
            String key = table.spec().name() + " at version " + worker.completed();
            float[] now = Updates.copy(table);
            float[] before = versions.putIfAbsent(key, now);
            if (null != before) {
                assertArrayEquals(before, now, () -> "replicas are identical: " + key);
            }
        }
    }

    /** One worker dies when a server asks to go; another comes in its place when that server has gone. */
    @Test
    void workersAreLostAndComeMeanwhile() {
        ClusterSettings settings = TestCluster.terms()
                .servers(3)
                .workers(3)
                .places(3)
                .heartbeatMs(50)
                .livenessMs(600)
                .transport(TransportKind.UDP)
                .onDeath(DeathPolicy.SHRINK)
                .build();
        StoppableClock stopped = new StoppableClock();
        Run run = new Run(settings, new Updates(3, SHAPES), Long.MAX_VALUE, false);
        TestCluster cluster = run.cluster;
        cluster.adjustWorkers(context -> {
            if (2 == context.index()) {
                context.clock(stopped);
            }
        });
        try (cluster) {
            cluster.serve();
            cluster.train(run::train);
            Deadline.await("it trains", () -> run.furthest.get() > 3);
            stopped.stop();
            cluster.server(1).drain();
            assertEquals(null, cluster.awaitEnd("server 1"), "it goes, though one is lost meanwhile");
            stopped.goOn();
            cluster.thread("worker 2").interrupt();
            long clock = run.furthest.get();
            cluster.train("the new one", -1, worker -> {
                assertEquals(2, worker.index(), "the place that is empty");
                run.train(worker);
            });
            Deadline.await("it goes on", () -> run.furthest.get() > clock);
            awaitWord(cluster, "worker 2 takes part from");
            run.end.set(run.furthest.get() + 10 * MORE_CLOCKS);
            for (String name : List.of("worker 0", "worker 1", "the new one", "server 0", "server 2")) {
                assertEquals(null, cluster.awaitEnd(name), name);
            }
        }
    }

    /** It has sent nothing to anybody so far, so it has not followed who takes part. */
    @Test
    void aServerThatOwnedNothingReachesThoseWhoCameBefore() {
        ClusterSettings settings = TestCluster.terms()
                .servers(3)
                .workers(1)
                .places(2)
                .placement(PlacementKind.LARGEST_FIRST)
                .sliceElements(64)
                .transport(TransportKind.UDP)
                .build();
        List<Shape> fewerThanServers = List.of(new Shape("w", 1, 31), new Shape("b", 1, 16));
        Run run = new Run(settings, new Updates(5, fewerThanServers), Long.MAX_VALUE, false);
        TestCluster cluster = run.cluster;
        try (cluster) {
            cluster.serve();
            cluster.train(run::train);
            Deadline.await("it trains", () -> run.furthest.get() > 3);
            cluster.train("the new one", -1, run::train);
            awaitWord(cluster, "worker 1 takes part from");
            cluster.server(1).drain();
            assertNull(cluster.awaitEnd("server 1"));
            run.end.set(run.furthest.get() + MORE_CLOCKS);
            for (String name : List.of("worker 0", "the new one", "server 0", "server 2")) {
                assertNull(cluster.awaitEnd(name), name);
            }
            assertEquals(1, cluster.server(2).report().moves().getFirst().came());
        }
    }

    @Test
    void whoLeavesBeforeOthersHaveItsSlicesEndsTheJob() {
        ClusterSettings settings =
                TestCluster.terms().servers(2).workers(1).places(1).build();
        Run run = new Run(settings, new Updates(9, SHAPES), Long.MAX_VALUE, false);
        CountDownLatch agreed = new CountDownLatch(1);
        try (TestCluster cluster = run.cluster) {
            cluster.serve();
            cluster.train(worker -> {
                List<Table> tables = run.updates.declare(worker);
                worker.start(run.updates::initial);
                agreed.await();
                tables.forEach(Table::sync);
                worker.clock();
                worker.drain();
            });
            Deadline.await("it serves", () -> cluster.server(1) != null);
            cluster.server(1).drain();
            awaitWord(cluster, "server 1 owns no slices from");
            cluster.thread("server 1").interrupt();
            Throwable failure = cluster.awaitEnd("server 0");
            agreed.countDown();
            assertEquals("server 1 has left before others had its slices", String.valueOf(failure.getMessage()));
            assertNotNull(cluster.awaitEnd("worker 0"));
        }
    }

    private static void awaitWord(TestCluster cluster, String begin) {
        Deadline.await(
                begin,
                () -> cluster.errors().stream()
                        .anyMatch(told -> told.getMessage().startsWith(begin)));
    }

    @Test
    void whoIsNeededToTheEndIsToldSo() {
        Updates updates = new Updates(7, SHAPES);
        ClusterSettings fixed = TestCluster.terms().workers(1).build();
        TestCluster.Trainer trainer = worker -> {
            updates.declare(worker);
            worker.start(updates::initial);
        };
        try (TestCluster cluster = TestCluster.of(driver, fixed)) {
            cluster.adjustServers(context -> {});
            cluster.serve();
            cluster.train(trainer);
            Server server = cluster.server(1);
            IllegalStateException refused = assertThrows(IllegalStateException.class, server::drain);
            assertTrue(refused.getMessage().contains("server 1 asks to go"), refused.getMessage());
            cluster.awaitSuccess();
        }
        ClusterSettings elastic = TestCluster.terms().workers(1).places(1).build();
        try (TestCluster cluster = TestCluster.of(driver, elastic)) {
            cluster.serve();
            cluster.train(trainer);
            Server server = cluster.server(0);
            IllegalStateException refused = assertThrows(IllegalStateException.class, server::drain);
            assertTrue(refused.getMessage().contains("it coordinates"), refused.getMessage());
            cluster.awaitSuccess();
            assertFalse(server.isDrained());
        }
    }
}
