package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.messaging.counters.CounterType;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.NanoClock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A worker that receives nothing from a server requests broadcast frames that no arrival shows to be missing, and
 * requests nothing that has not been broadcast, however long that takes.
 */
@Timeout(240)
class SilenceTest {
    private static final int LIVENESS_MS = 2_000;
    private static final int CLOCKS = 3;
    private static final List<Shape> SHAPES = List.of(new Shape("w", 12, 1_000), new Shape("b", 1, 9));

    /** The clock of a node. While it stalls, the relay thread of the node blocks, so the node forwards nothing. */
    private static final class RelayClock implements NanoClock {
        private volatile boolean stalls;

        @Override
        public long nanoTime() {
            while (stalls && Thread.currentThread().getName().startsWith("sluice-relay")) {
                LockSupport.parkNanos(100_000);
            }
            return System.nanoTime();
        }
    }

    private static ClusterSettings settings(String tree, int servers) {
        return TestCluster.terms()
                .transport(TransportKind.UDP)
                .servers(servers)
                .workers(3)
                .compressor("none")
                .sliceElements(1_000)
                .tree(tree)
                .heartbeatMs(100)
                .livenessMs(LIVENESS_MS)
                .build();
    }

    private static long requests(TestDriver driver) {
        return driver.sum(CounterType.NODE_RESENDS_ASKED, "");
    }

    /**
     * Workers request no frames that were not broadcast, also before the first values, and from a server that owns no
     * slice of the small table.
     */
    @Test
    @Tag("slow")
    void framesThatWereNotBroadcastAreNotRequested() {
        ClusterSettings settings = settings("stripes", 2);
        Updates updates = new Updates(1, SHAPES);
        CyclicBarrier together = new CyclicBarrier(settings.workers());
        try (TestDriver driver = TestDriver.launch()) {
            TestCluster.run(driver, settings, worker -> {
                List<Table> tables = updates.declare(worker);
                idle(worker, driver, together);
                worker.start(updates::initial);
                idle(worker, driver, together);
                for (Table table : tables) {
                    table.sync();
                    table.update(updates.of(table.spec(), worker.index(), 1));
                }
                worker.clock();
                worker.drain();
            });
        }
    }

    /** Every worker has every broadcast, and the others wait for worker 0, which sleeps. */
    private static void idle(Worker worker, TestDriver driver, CyclicBarrier together) throws Exception {
        together.await(60, TimeUnit.SECONDS);
        if (0 == worker.index()) {
            long before = requests(driver);
            Thread.sleep(5 * LIVENESS_MS / 2);
            assertEquals(before, requests(driver), "requests for frames that were never broadcast");
        }
    }

    /**
     * The second worker of a chain sends heartbeats, but its relay forwards no frame of two versions. Its descendants
     * request these frames from the server.
     */
    @Test
    @Tag("slow")
    void theServerSendsVersionsThatARelayDidNotForward() {
        ClusterSettings settings = settings("chain", 1);
        Updates updates = new Updates(2, SHAPES);
        RelayClock stall = new RelayClock();
        CyclicBarrier together = new CyclicBarrier(settings.workers());
        try (TestDriver driver = TestDriver.launch();
                TestCluster cluster = TestCluster.of(driver, settings)) {
            cluster.adjustWorkers(worker -> {
                        if (1 == worker.index()) {
                            worker.clock(stall);
                        }
                    })
                    .serve();
            cluster.train(worker -> {
                List<Table> tables = updates.declare(worker);
                worker.start(updates::initial);
                Reference reference = new Reference(updates, worker.workers());
                for (long round = 1; round <= CLOCKS; round++) {
                    tables.forEach(Table::sync);
                    if (CLOCKS - 1 == round) {
                        together.await(60, TimeUnit.SECONDS);
                        stall.stalls = true; // the next broadcast needs a push of every worker
                        together.await(60, TimeUnit.SECONDS);
                    }
                    for (Table table : tables) {
                        reference.requireSame(table, round - 1);
                        table.update(updates.of(table.spec(), worker.index(), round));
                    }
                    worker.clock();
                    reference.apply(round);
                }
                worker.drain();
                for (Table table : tables) {
                    reference.requireSame(table, CLOCKS);
                }
                together.await(60, TimeUnit.SECONDS);
                assertTrue(requests(driver) >= 4, "two trainers, two versions, " + requests(driver) + " requests");
                together.await(60, TimeUnit.SECONDS);
                stall.stalls = false;
            });
            cluster.awaitSuccess();
            assertTrue(cluster.reports().getFirst().framesResent() > 0, "nothing was sent again");
        }
    }
}
