package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.Deadline;
import io.sluice.consistency.StoppableClock;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.consistency.terms.WorkerSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which nodes may join and leave, and the effect of losses. */
@Timeout(240)
class WorkerSetTest {
    private static final int MORE_CLOCKS = 5;
    private static final List<Shape> SHAPES = List.of(new Shape("w", 13, 31), new Shape("u", 5, 3));

    private static TestDriver driver;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    /** The lost worker takes part until its loss is agreed; another joins in its place. */
    @Tag("slow")
    @Test
    void aLostWorkerIsReplaced() throws Exception {
        ClusterSettings settings = TestCluster.terms()
                .workers(3)
                .places(3)
                .heartbeatMs(50)
                .livenessMs(600)
                .transport(TransportKind.UDP)
                .onDeath(DeathPolicy.SHRINK)
                .build();
        Updates updates = new Updates(3, SHAPES);
        StoppableClock stopped = new StoppableClock();
        CountDownLatch stop = new CountDownLatch(1);
        Map<Integer, List<float[]>> replicas = new ConcurrentHashMap<>();
        try (TestCluster cluster = TestCluster.of(driver, settings)) {
            cluster.adjustWorkers(context -> {
                if (2 == context.index()) {
                    context.clock(stopped);
                }
            });
            cluster.serve();
            TestCluster.Trainer trainer = worker -> {
                long[] end = {Long.MAX_VALUE};
                worker.onWorkerSet(workerSets ->
                        end[0] = 3 == workerSets.size() ? workerSets.getLast().since() + MORE_CLOCKS : end[0]);
                List<Table> tables = updates.declare(worker);
                worker.start(updates::initial);
                while (worker.completed() < end[0]) {
                    for (Table table : tables) {
                        table.sync();
                        table.update(updates.of(table.spec(), worker.index(), worker.completed() + 1));
                    }
                    worker.clock();
                    if (3 == worker.completed()
                            && 2 == worker.index()
                            && 1 == worker.workerSet().since()) {
                        stopped.stop();
                        stop.countDown();
                        new CountDownLatch(1).await(); // the worker is lost in the meantime
                    }
                }
                worker.drain();
                replicas.put(worker.index(), tables.stream().map(Updates::copy).toList());
            };
            for (int worker = 0; worker < 3; worker++) {
                cluster.train("worker " + worker, worker, trainer);
            }
            assertTrue(stop.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
            Deadline.await(
                    "the worker has left",
                    () -> cluster.errors().stream()
                            .anyMatch(error -> error.getMessage().contains("no longer takes part")));
            stopped.resume();
            cluster.train("the new one", -1, worker -> {
                assertEquals(2, worker.index(), "the place that is empty");
                trainer.train(worker);
            });
            cluster.thread("worker 2").interrupt();
            for (String name : List.of("worker 0", "worker 1", "the new one", "server 0", "server 1")) {
                assertEquals(null, cluster.awaitEnd(name), name);
            }
        }
        assertEquals(3, replicas.size());
        for (int table = 0; table < SHAPES.size(); table++) {
            assertArrayEquals(replicas.get(0).get(table), replicas.get(1).get(table));
            assertArrayEquals(replicas.get(0).get(table), replicas.get(2).get(table));
        }
    }

    @Test
    void aNewcomerIsRefusedByAFullClusterAndAtTheEnd() throws Exception {
        ClusterSettings settings = TestCluster.terms().workers(1).places(2).build();
        Updates updates = new Updates(3, SHAPES);
        CountDownLatch done = new CountDownLatch(1);
        CountDownLatch isFull = new CountDownLatch(1);
        try (TestCluster cluster = TestCluster.start(driver, settings)) {
            cluster.train("first", -1, worker -> {
                List<Table> tables = updates.declare(worker);
                worker.start(updates::initial);
                while (worker.workerSet().size() < 2) {
                    tables.forEach(Table::sync);
                    worker.clock();
                }
                isFull.countDown();
                assertTrue(done.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
            });
            cluster.server(0);
            cluster.train("second", -1, worker -> {
                updates.declare(worker);
                worker.start(updates::initial);
                assertEquals(List.of(0, 1), worker.workerSet().workers());
                assertTrue(done.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
            });
            assertTrue(isFull.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
            cluster.train("third", -1, worker -> {});
            assertEquals(Failure.REFUSED, cluster.awaitFailure("third").failure());
            assertTrue(cluster.awaitFailure("third").getMessage().contains("all 2 workers have already joined"));
            done.countDown();
            assertEquals(null, cluster.awaitEnd("first"));
            assertEquals(null, cluster.awaitEnd("second"));
            assertEquals(null, cluster.awaitEnd("server 0"));
        }
    }

    @Test
    void noWorkerLeavesAJobThatIsNotElastic() {
        TestCluster.run(driver, TestCluster.terms().workers(1).build(), worker -> {
            List<List<WorkerSet>> told = new ArrayList<>();
            worker.onWorkerSet(told::add);
            new Updates(1, SHAPES).declare(worker);
            worker.start(Initialiser.ZEROS);
            assertEquals(List.of(List.of(new WorkerSet(1, List.of(0)))), told);
            assertThrows(IllegalStateException.class, worker::requestLeave);
        });
    }
}
