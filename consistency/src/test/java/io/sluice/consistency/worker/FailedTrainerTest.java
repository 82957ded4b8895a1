package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.Protocol;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A trainer that throws, or a server that fails in its service, counts as a dead node, and other nodes learn why. */
@Timeout(240)
class FailedTrainerTest {
    private static final int CLOCKS = 10;
    private static final int FAILS_AT = 4;
    private static final String PLAIN =
            "worker 1: failed at clock 4: closed before drain() or leave(), as after an exception";
    private static final String TOLD = "worker 1: failed at clock 4: java.lang.IllegalStateException: the disk is full";

    private static TestDriver driver;

    @TempDir
    private Path folder;

    private final Map<Integer, float[]> replicas = new ConcurrentHashMap<>();

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    /** Longer than a test: no death is detected by silence. */
    private static ClusterSettings terms(DeathPolicy onDeath) {
        return TestCluster.terms().onDeath(onDeath).livenessMs(15_000).build();
    }

    /** What happens at worker 1 after some clocks. */
    private interface Accident {
        void happen(Worker worker, Table table);
    }

    private void train(Worker worker, Accident accident) {
        Table table = worker.table("w", 8, 16); // a slice for each server
        worker.start(Initialiser.ZEROS);
        float[] update = new float[128];
        while (worker.completed() < CLOCKS) {
            table.sync();
            if (1 == worker.index() && FAILS_AT == worker.completed()) {
                accident.happen(worker, table);
            }
            update[(int) worker.completed()] = 1 + worker.index();
            table.update(update);
            worker.clock();
        }
        worker.drain();
        replicas.put(worker.index(), Updates.copy(table));
    }

    private static void throwPlainly(Worker worker, Table table) {
        throw new IllegalStateException("the disk is full");
    }

    private static void tellAndThrow(Worker worker, Table table) {
        IllegalStateException cause = new IllegalStateException("the disk is full");
        worker.fail(cause);
        throw cause;
    }

    private void endsAll(Accident accident, String sentence) {
        try (TestCluster cluster = TestCluster.start(driver, terms(DeathPolicy.FAIL))) {
            cluster.train(worker -> train(worker, accident));
            for (String node : List.of("server 0", "server 1", "worker 0", "worker 2")) {
                ClusterException failure = cluster.awaitFailure(node);
                assertEquals(sentence, failure.getMessage(), node);
                assertEquals(Failure.PEER_FAILED, failure.failure(), node);
            }
        }
    }

    @Test
    void itsExceptionEndsAllNodesAndNamesWorkerAndClock() {
        endsAll(FailedTrainerTest::throwPlainly, PLAIN);
    }

    @Test
    void allNodesLearnTheCause() {
        endsAll(FailedTrainerTest::tellAndThrow, TOLD);
    }

    @Test
    void aRejectedCallOfATableIsTheCause() {
        endsAll(
                (_, table) -> table.update(new float[3]),
                "worker 1: failed at clock 4: java.lang.IllegalArgumentException: the update of table w has 3 floats,"
                        + " expected 128 floats");
    }

    /** An exception that the trainer catches ends nothing. */
    @Test
    void aCaughtExceptionHasNoEffect() {
        try (TestCluster cluster = TestCluster.start(driver, terms(DeathPolicy.FAIL))) {
            cluster.train(worker -> train(worker, (_, table) -> {
                try {
                    table.update(new float[3]);
                } catch (IllegalArgumentException e) {
                    assertTrue(e.getMessage().contains("3 floats"), e.getMessage());
                }
            }));
            cluster.awaitSuccess();
        }
        assertEquals(3, replicas.size());
    }

    @Test
    void theOthersContinueUnderShrink() {
        try (TestCluster cluster = TestCluster.start(driver, terms(DeathPolicy.SHRINK))) {
            cluster.train(worker -> train(worker, FailedTrainerTest::tellAndThrow));
            assertEquals("the disk is full", cluster.awaitEnd("worker 1").getMessage());
            for (String node : List.of("worker 0", "worker 2", "server 0", "server 1")) {
                assertNull(cluster.awaitEnd(node), node);
            }
            assertTrue(
                    cluster.errors().stream()
                            .anyMatch(error -> error.getMessage()
                                    .equals(TOLD
                                            + "; it had reached clock 4; the cluster continues without it in epoch 1")),
                    cluster.errors() + "");
        }
        assertEquals(2, replicas.size());
        assertArrayEquals(replicas.get(0), replicas.get(2));
        assertEquals(1 + 3, replicas.get(0)[CLOCKS - 1]); // of the last clock, in which worker 1 took no part
    }

    @Tag("slow")
    @Test
    void theOthersWaitForTheRestartUnderWait() {
        AtomicInteger lives = new AtomicInteger();
        TestCluster starting = TestCluster.of(driver, terms(DeathPolicy.WAIT))
                .incarnations(2)
                .adjust(context -> context.snapshots(folder))
                .adjustServers(server -> {
                    if (0 == server.index()) {
                        server.takeSnapshots("2", false);
                    }
                });
        try (TestCluster cluster = starting.serve()) {
            cluster.train(worker -> {
                if (1 == worker.index()) {
                    lives.incrementAndGet();
                }
                train(worker, (own, table) -> {
                    if (1 == lives.get()) {
                        throwPlainly(own, table);
                    }
                });
            });
            cluster.awaitSuccess();
            assertEquals(List.of("worker 1: the disk is full"), cluster.deaths());
            assertTrue(
                    cluster.errors().stream()
                            .anyMatch(error -> error.getMessage().startsWith(PLAIN)),
                    cluster.errors() + "");
        }
        assertEquals(2, lives.get());
        for (float[] replica : replicas.values()) {
            assertEquals(1 + 2 + 3, replica[CLOCKS - 1]);
        }
    }

    @Test
    void aFailureOfAServerIsReported() {
        AtomicInteger calls = new AtomicInteger();
        CountDownLatch training = new CountDownLatch(1);
        TestCluster starting = TestCluster.of(driver, terms(DeathPolicy.FAIL)).adjustServers(context -> {
            Thread[] serving = {null};
            if (1 == context.index()) {
                context.clock(() -> {
                    serving[0] = null == serving[0] ? Thread.currentThread() : serving[0];
                    if (0 == training.getCount()
                            && Thread.currentThread() == serving[0]
                            && 0 == calls.getAndIncrement()) {
                        throw new OutOfMemoryError("none for the test");
                    }
                    return System.nanoTime();
                });
            }
        });
        try (TestCluster cluster = starting.serve()) {
            cluster.train(worker -> train(worker, (_, _) -> training.countDown()));
            assertEquals("none for the test", cluster.awaitEnd("server 1").getMessage());
            for (String node : List.of("server 0", "worker 0", "worker 1", "worker 2")) {
                ClusterException failure = cluster.awaitFailure(node);
                assertEquals(Failure.PEER_FAILED, failure.failure(), node);
                assertTrue(
                        failure.getMessage()
                                .matches("server 1: failed at clock \\d+: java.lang.OutOfMemoryError: none for the"
                                        + " test"),
                        failure.getMessage());
            }
        }
    }

    /** Each {@code sync} checks, not only one that waits. */
    @ParameterizedTest
    @EnumSource(names = {"UPDATE", "PUSH_PULL"})
    void aLoopOfSyncsThatNeverWaitsSeesTheFailure(Protocol protocol) {
        ClusterSettings terms =
                TestCluster.terms(protocol).workers(2).livenessMs(15_000).build();
        try (TestCluster cluster = TestCluster.start(driver, terms)) {
            cluster.train(worker -> {
                Table table = worker.table("w", 8, 16);
                worker.start(Initialiser.ZEROS);
                if (1 == worker.index()) {
                    throw new IllegalStateException("the disk is full");
                }
                Deadline.await("the failure of worker 1", () -> {
                    table.sync();
                    return false;
                });
            });
            assertEquals(Failure.PEER_FAILED, cluster.awaitFailure("worker 0").failure());
        }
    }
}
