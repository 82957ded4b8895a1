package io.sluice.consistency.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.ChildNode;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.ThreadingMode;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A node that leaves or fails reports this, so the other nodes need not wait for the liveness time. */
@Timeout(240)
class LeavingTest {
    /** Much longer than any test here takes: nodes learn of a failure by a report, not by silence. */
    private static final int LIVENESS_MS = 15_000;

    private static TestDriver driver;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    private static ClusterSettings terms() {
        return TestCluster.terms().workers(2).livenessMs(LIVENESS_MS).build();
    }

    @Test
    void aWorkerThatLeavesTooEarlyIsReportedByTheOthers() {
        try (TestCluster cluster = TestCluster.start(driver, terms())) {
            cluster.train(worker -> {
                Table table = worker.table("w", 4, 4);
                worker.start(Initialiser.ZEROS);
                for (int i = 0; i < (0 == worker.index() ? 5 : 9); i++) {
                    table.sync();
                    worker.clock();
                }
                worker.drain();
            });
            assertNull(cluster.awaitEnd("worker 0"));
            ClusterException failure = cluster.awaitFailure("worker 1");
            assertEquals(Failure.PEER_LEFT, failure.failure());
            assertEquals(
                    "worker 0 has left at clock 5, so version 6 of table w cannot be reached", failure.getMessage());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWorkerThatFailsBeforeOrInTheStartIsReportedByTheOthers(boolean before) {
        try (TestCluster cluster = TestCluster.start(driver, terms())) {
            cluster.train(worker -> {
                worker.table("w", 4, 4);
                if (before && 0 == worker.index()) {
                    throw new IllegalStateException("the trainer's own");
                }
                worker.start((table, start, values) -> values[0] = Float.NaN);
            });
            cluster.awaitEnd("worker 0");
            ClusterException failure = cluster.awaitFailure("worker 1");
            assertEquals(Failure.PEER_FAILED, failure.failure());
            assertEquals(
                    "worker 0: failed before its first clock: "
                            + (before
                                    ? "closed before drain() or leave(), as after an exception"
                                    : "java.lang.IllegalArgumentException: the initialiser gives table w values that"
                                            + " are not finite, at or after element 0"),
                    failure.getMessage());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"worker 0", "worker 1", "server 0", "server 1"})
    void anInterruptedNodeEndsClosedAndTheOthersLearnThatItFailed(String interrupted) throws InterruptedException {
        CountDownLatch training = new CountDownLatch(2);
        try (TestCluster cluster = TestCluster.start(driver, terms())) {
            cluster.train(worker -> ChildNode.train(worker, training::countDown));
            assertTrue(training.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
            long startNs = System.nanoTime();
            cluster.thread(interrupted).interrupt();
            ClusterException closed = cluster.awaitFailure(interrupted);
            assertEquals(Failure.CLOSED, closed.failure(), closed.getMessage());
            for (String node : new String[] {"worker 0", "worker 1", "server 0", "server 1"}) {
                if (!node.equals(interrupted)) {
                    ClusterException failure = cluster.awaitFailure(node);
                    assertEquals(Failure.PEER_FAILED, failure.failure(), node + ": " + failure.getMessage());
                    assertTrue(failure.getMessage().startsWith(interrupted + ": failed "), failure.getMessage());
                    assertTrue(failure.getMessage().contains("interrupted"), failure.getMessage());
                }
                long afterMs = TimeUnit.NANOSECONDS.toMillis(cluster.endedNs(node) - startNs);
                assertTrue(afterMs < LIVENESS_MS * 2 / 3, node + " took " + afterMs + " ms");
            }
        }
    }

    /** The server fails after the welcome of all nodes. */
    @ParameterizedTest
    @Tag("slow")
    @EnumSource
    void aCoordinatingServerThatFailsInItsLaunchReportsIt(ThreadingMode mode) {
        AtomicInteger asked = new AtomicInteger();
        TestCluster cluster = TestCluster.of(driver, terms()).adjustServers(context -> {
            context.threading(mode);
            if (0 == context.index()) {
                context.idle(() -> {
                    if (asked.getAndIncrement() > 0) {
                        throw new IllegalStateException("no strategy left");
                    }
                    return new BackoffIdleStrategy();
                });
            }
        });
        try (cluster) {
            long startNs = System.nanoTime();
            cluster.serve().train(worker -> ChildNode.train(worker, () -> {}));
            assertEquals("no strategy left", cluster.awaitEnd("server 0").getMessage());
            for (String node : List.of("server 1", "worker 0", "worker 1")) {
                ClusterException failure = cluster.awaitFailure(node);
                assertEquals(Failure.PEER_FAILED, failure.failure(), node + ": " + failure.getMessage());
                assertEquals(
                        "server 0: failed before its first clock: java.lang.IllegalStateException: no strategy left",
                        failure.getMessage());
                long afterMs = TimeUnit.NANOSECONDS.toMillis(cluster.endedNs(node) - startNs);
                assertTrue(afterMs < LIVENESS_MS * 2 / 3, node + " took " + afterMs + " ms");
            }
        }
    }
}
