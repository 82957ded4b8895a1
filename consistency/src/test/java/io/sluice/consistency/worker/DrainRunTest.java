package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.codecs.Property;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.StoppableClock;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.server.Server;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.TransportKind;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Servers are drained while a job runs: at every version the replicas are bit-identical to an undisturbed run. */
@Timeout(240)
class DrainRunTest {
    private static TestDriver driver;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @CsvSource({
        "4, udp, none, f32, fifo, false",
        "3, ipc, none, f32, random:3, false",
        "3, udp, none, f32, layer, true",
        "3, udp, dvf:1.5, bf16, fifo, true",
    })
    void allVersionsAreThoseOfAnUndisturbedRun(
            int servers, String medium, String filter, String values, String order, boolean sealed) {
        Property.holds(1, random -> {
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
            Updates updates = new Updates(random.nextLong(), VersionedTraining.SHAPES);
            VersionedTraining drained = new VersionedTraining(driver, settings, updates);
            drained.play(() -> drain(drained, random));
            assertTrue(drained.cluster().reports().stream()
                    .anyMatch(report -> !report.moves().isEmpty()));
            VersionedTraining undisturbed = new VersionedTraining(driver, settings, updates);
            undisturbed.endAt(drained.end());
            undisturbed.play(() -> {});
            drained.requireBitsOf(undisturbed);
        });
    }

    @Tag("trial")
    @ParameterizedTest
    @CsvSource({"2, none", "4, dvf:1.5"})
    void allVersionsAreThoseOfAnUndisturbedRunInSharedMemory(int servers, String filter) {
        allVersionsAreThoseOfAnUndisturbedRun(servers, "ipc", filter, "f32", "fifo", false);
    }

    /** Drains servers at random clocks, and then ends the training. */
    private static void drain(VersionedTraining training, SplittableRandom random) {
        TestCluster cluster = training.cluster();
        List<Integer> leavers = new ArrayList<>();
        for (int server = 1; server < cluster.settings().servers(); server++) {
            if (leavers.isEmpty() || random.nextBoolean()) {
                leavers.add(server);
            }
        }
        for (int leaver : leavers) {
            training.awaitClock(training.furthest() + random.nextLong(0, 40));
            cluster.server(leaver).drain();
        }
        for (int leaver : leavers) {
            training.requireSuccess("server " + leaver);
            assertTrue(cluster.server(leaver).isDrained());
        }
        training.endSoon();
    }

    /** A worker has connected and still reads its data: the first values go to the server that leaves all the same. */
    @Test
    void aServerAsksToLeaveBeforeTheStart() {
        ClusterSettings settings = TestCluster.terms()
                .servers(2)
                .workers(1)
                .places(2)
                .transport(TransportKind.UDP)
                .build();
        VersionedTraining run = new VersionedTraining(driver, settings, new Updates(9, VersionedTraining.SHAPES));
        TestCluster cluster = run.cluster();
        CountDownLatch gate = new CountDownLatch(1);
        try (cluster) {
            cluster.serve();
            cluster.train(worker -> {
                gate.await();
                run.train(worker);
            });
            Deadline.await("it serves", () -> cluster.server(1) != null);
            cluster.server(1).drain();
            run.awaitNote("server 1 owns no slices from");
            gate.countDown();
            Deadline.await("it trains", () -> run.furthest() > 5);
            run.endSoon();
            run.requireSuccess("worker 0", "server 0", "server 1");
        }
    }

    /** One worker dies when a server asks to leave; another joins in its place when that server has left. */
    @Test
    @Tag("slow")
    void workersAreLostAndJoinDuringADrain() {
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
        VersionedTraining run = new VersionedTraining(driver, settings, new Updates(3, VersionedTraining.SHAPES));
        TestCluster cluster = run.cluster();
        cluster.adjustWorkers(context -> {
            if (2 == context.index()) {
                context.clock(stopped);
            }
        });
        try (cluster) {
            cluster.serve();
            cluster.train(run::train);
            Deadline.await("it trains", () -> run.furthest() > 3);
            stopped.stop();
            cluster.server(1).drain();
            assertEquals(null, cluster.awaitEnd("server 1"), "server 1 leaves although a worker is lost meanwhile");
            stopped.resume();
            cluster.thread("worker 2").interrupt();
            long clock = run.furthest();
            cluster.train("the new one", -1, worker -> {
                assertEquals(2, worker.index(), "the place that is empty");
                run.train(worker);
            });
            Deadline.await("training continues", () -> run.furthest() > clock);
            run.awaitNote("worker 2 takes part from");
            run.endAt(run.furthest() + 50);
            for (String name : List.of("worker 0", "worker 1", "the new one", "server 0", "server 2")) {
                assertEquals(null, cluster.awaitEnd(name), name);
            }
        }
    }

    /** The server has sent nothing so far, so it has not followed the worker set. */
    @Test
    void aServerThatOwnedNoSliceReachesEarlierNewcomers() {
        ClusterSettings settings = TestCluster.terms()
                .servers(3)
                .workers(1)
                .places(2)
                .placement("largest-first")
                .sliceElements(64)
                .transport(TransportKind.UDP)
                .build();
        List<Shape> fewerThanServers = List.of(new Shape("w", 1, 31), new Shape("b", 1, 16));
        VersionedTraining run = new VersionedTraining(driver, settings, new Updates(5, fewerThanServers));
        TestCluster cluster = run.cluster();
        try (cluster) {
            cluster.serve();
            cluster.train(run::train);
            Deadline.await("it trains", () -> run.furthest() > 3);
            cluster.train("the new one", -1, run::train);
            run.awaitNote("worker 1 takes part from");
            cluster.server(1).drain();
            assertNull(cluster.awaitEnd("server 1"));
            run.endSoon();
            for (String name : List.of("worker 0", "the new one", "server 0", "server 2")) {
                assertNull(cluster.awaitEnd(name), name);
            }
            assertEquals(1, cluster.server(2).report().moves().getFirst().gained());
        }
    }

    @Test
    void aServerThatLeavesWithItsSlicesEndsTheJob() {
        ClusterSettings settings =
                TestCluster.terms().servers(2).workers(1).places(1).build();
        VersionedTraining run = new VersionedTraining(driver, settings, new Updates(9, VersionedTraining.SHAPES));
        CountDownLatch agreed = new CountDownLatch(1);
        try (TestCluster cluster = run.cluster()) {
            cluster.serve();
            cluster.train(worker -> {
                List<Table> tables = run.updates().declare(worker);
                worker.start(run.updates()::initial);
                agreed.await();
                tables.forEach(Table::sync);
                worker.clock();
                worker.drain();
            });
            Deadline.await("it serves", () -> cluster.server(1) != null);
            cluster.server(1).drain();
            run.awaitNote("server 1 owns no slices from");
            cluster.thread("server 1").interrupt();
            Throwable failure = cluster.awaitEnd("server 0");
            agreed.countDown();
            assertTrue(
                    String.valueOf(failure.getMessage()).matches("server 1: failed .*: server 1 was interrupted"),
                    String.valueOf(failure.getMessage()));
            assertNotNull(cluster.awaitEnd("worker 0"));
        }
    }

    @Test
    void aServerThatIsNeededIsNotDrained() {
        Updates updates = new Updates(7, VersionedTraining.SHAPES);
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
            assertTrue(refused.getMessage().contains("server 1 cannot leave"), refused.getMessage());
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
