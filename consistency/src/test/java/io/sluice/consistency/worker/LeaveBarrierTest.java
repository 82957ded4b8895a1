package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Protocol;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A worker that has completed its training waits for nodes that may rejoin, but not for a live node without progress.
 */
@Timeout(240)
class LeaveBarrierTest {
    private static final int CLOCKS = 5;

    @TempDir
    private Path folder;

    @Test
    @Tag("slow")
    void endsWhenNoNodeMakesProgress() {
        ClusterSettings settings = TestCluster.terms()
                .servers(1)
                .workers(2)
                .onDeath(DeathPolicy.WAIT)
                .build();
        CountDownLatch released = new CountDownLatch(1);
        try (TestDriver driver = TestDriver.launch();
                TestCluster cluster = TestCluster.of(driver, settings)
                        .adjust(context -> context.snapshots(folder))
                        .adjustServers(server -> server.takeSnapshots("1000", false))
                        .adjustWorkers(worker -> worker.progressNs(TimeUnit.SECONDS.toNanos(4)))
                        .serve()) {
            cluster.train(worker -> {
                Table table = worker.table("w", 2, 2);
                worker.start(Initialiser.ZEROS);
                for (int clock = 0; clock < CLOCKS; clock++) {
                    table.sync();
                    if (1 == worker.index() && CLOCKS - 1 == clock) {
                        Deadline.await(released);
                    }
                    worker.clock();
                }
            });
            assertNull(cluster.awaitEnd("worker 0"));
            assertEquals(
                    List.of("worker 0 has completed and stops waiting for worker 1: all nodes are alive, but nothing"
                            + " was broadcast after clock 4 for 4 s"),
                    cluster.errors().stream().map(Throwable::getMessage).toList());
            released.countDown();
            cluster.awaitSuccess();
        }
    }

    /** Servers broadcast nothing of vectors, so their versions say nothing about the others. */
    @Test
    @Tag("slow")
    void lastsWhilePeersAreAlive() {
        ClusterSettings settings =
                TestCluster.terms(Protocol.PEER).servers(1).workers(2).build();
        CountDownLatch completed = new CountDownLatch(1);
        try (TestDriver driver = TestDriver.launch();
                TestCluster cluster = TestCluster.of(driver, settings)
                        .adjustWorkers(worker -> worker.progressNs(TimeUnit.SECONDS.toNanos(4)))
                        .serve()) {
            cluster.train(worker -> {
                FactorTable table = worker.factors("w", 2, 2, 1, "all", "all");
                worker.start(Initialiser.ZEROS);
                for (int clock = 0; clock < CLOCKS; clock++) {
                    table.sync();
                    worker.clock();
                }
                worker.drain();
                if (worker.index() == 0) {
                    completed.countDown();
                } else {
                    Deadline.await(completed);
                    Deadline.await(
                            "a report of worker 0's wait",
                            () -> cluster.waits().stream().anyMatch(sentence -> sentence.startsWith("worker 0 has ")));
                }
            });
            cluster.awaitSuccess();
            assertEquals(List.of(), cluster.errors());
        }
    }
}
