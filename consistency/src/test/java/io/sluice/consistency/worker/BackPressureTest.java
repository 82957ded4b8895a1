package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TransportKind;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** If a node lags, other nodes wait for room or continue without it; no memory grows, and every wait has a deadline. */
@Timeout(240)
@Isolated("measures the memory of this process")
class BackPressureTest {
    private static final int TERM_LENGTH = 64 << 10;
    private static final int ELEMENTS = 100_000;

    private static TestDriver driver;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch(TERM_LENGTH);
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    private static ClusterSettings terms(TransportKind transport, String consistency) {
        return TestCluster.terms()
                .servers(1)
                .workers(2)
                .transport(transport)
                .consistency(consistency)
                .sliceElements(1_000)
                .compressor("none") // or the gate would shrink the update until it fits
                .livenessMs(10_000)
                .build();
    }

    /** BSP sums in worker order, so the pushes of worker 1 stay on its link until worker 0 has pushed its part. */
    @ParameterizedTest
    @EnumSource
    void anUpdateWaitsWhileItsLinkIsFull(TransportKind transport) {
        AtomicBoolean firstPushes = new AtomicBoolean();
        AtomicReference<Worker> second = new AtomicReference<>();
        TestCluster.run(driver, terms(transport, "bsp"), worker -> {
            Table table = worker.table("w", 1, ELEMENTS);
            worker.start(Initialiser.ZEROS);
            float[] update = new float[ELEMENTS];
            Arrays.fill(update, 1);
            table.sync();
            if (0 == worker.index()) {
                awaitStall(second);
                firstPushes.set(true);
                table.update(update);
            } else {
                second.set(worker);
                table.update(update);
                assertTrue(firstPushes.get(), "the update returned although no server had accepted it");
                assertTrue(worker.stats().waitNs() > 0);
            }
            worker.clock();
            worker.drain();
            assertEquals(2, table.get(0, ELEMENTS - 1));
        });
    }

    /** A repetition of an update that an interrupt left half done would push some slices twice in a clock. */
    @Test
    void anUpdateThatAnInterruptLeavesHalfDoneIsNotRepeated() {
        try (TestCluster cluster = TestCluster.start(driver, terms(TransportKind.UDP, "tap"))) {
            cluster.adjustWorkers(worker -> worker.outboxFrames(2));
            cluster.train(worker -> {
                Table table = worker.table("w", 1, ELEMENTS);
                worker.start(Initialiser.ZEROS);
                float[] update = new float[ELEMENTS];
                Arrays.fill(update, 1);
                if (0 == worker.index()) {
                    Thread.currentThread().interrupt();
                    ClusterException interrupted =
                            assertThrows(ClusterException.class, () -> pushUntilItWaits(worker, table, update));
                    assertEquals(Failure.CLOSED, interrupted.failure());
                    assertTrue(Thread.interrupted());
                    String refused = assertThrows(ClusterException.class, () -> table.update(update))
                            .getMessage();
                    assertTrue(
                            refused.startsWith("worker 0 cannot continue after a call that did not complete: "),
                            refused);
                    assertThrows(ClusterException.class, worker::clock);
                    worker.leave();
                } else {
                    table.sync();
                }
            });
            assertNull(cluster.awaitEnd("worker 0"));
        }
    }

    /**
     * A worker that closes with a half-done update has failed, although it has drained before. Otherwise it would leave
     * in order with a part of a push at the servers. The exception must leave the trainer, since the cluster of the
     * test calls leave() for a trainer that returns.
     */
    @Test
    void aDrainedWorkerThatClosesAfterAHalfDoneUpdateHasFailed() {
        CountDownLatch halfDone = new CountDownLatch(1);
        try (TestCluster cluster = TestCluster.start(driver, terms(TransportKind.UDP, "bsp"))) {
            cluster.train(worker -> {
                Table table = worker.table("w", 1, ELEMENTS);
                worker.start(Initialiser.ZEROS);
                float[] update = new float[ELEMENTS];
                Arrays.fill(update, 1);
                table.update(update);
                worker.clock();
                worker.drain();
                if (1 == worker.index()) {
                    Thread.currentThread().interrupt();
                    try {
                        table.update(update); // must wait, because worker 0 has not pushed its part
                    } finally {
                        assertTrue(Thread.interrupted());
                        halfDone.countDown();
                    }
                } else {
                    Deadline.await(halfDone);
                    table.update(update);
                }
                worker.clock();
                worker.drain(); // needs the rest of worker 1's push
            });
            assertEquals(Failure.CLOSED, cluster.awaitFailure("worker 1").failure());
            for (String node : new String[] {"worker 0", "server 0"}) {
                ClusterException failure = cluster.awaitFailure(node);
                assertEquals(
                        "worker 1: failed at clock 1: interrupted while pushing to server 0",
                        failure.getMessage(),
                        node);
                assertEquals(Failure.PEER_FAILED, failure.failure(), node);
            }
        }
    }

    private static void pushUntilItWaits(Worker worker, Table table, float[] update) {
        for (int clock = 0; clock < 1_000; clock++) {
            table.update(update);
            worker.clock();
        }
    }

    /** Waits until a worker has filled its log and pushed nothing more for a while. */
    private static void awaitStall(AtomicReference<Worker> worker) {
        Deadline.await("worker 1 has started", () -> null != worker.get());
        long[] last = {-1, System.nanoTime()};
        Deadline.await("worker 1 stalls", () -> {
            long bytes = worker.get().bytesPushed();
            if (bytes != last[0]) {
                last[0] = bytes;
                last[1] = System.nanoTime();
            }
            return bytes > 10_000 && System.nanoTime() - last[1] > TimeUnit.MILLISECONDS.toNanos(300);
        });
        assertTrue(last[0] <= 3 * TERM_LENGTH, "more bytes in flight than the log has: " + last[0]);
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource
    void aStalledReaderCostsNoMemoryAndReceivesAllLater(TransportKind transport) {
        CountDownLatch awake = new CountDownLatch(1);
        int rounds = 400;
        try (TestCluster cluster = TestCluster.start(driver, terms(transport, "tap"))) {
            cluster.train(worker -> {
                Table table = worker.table("w", 1, 10_000);
                worker.start(Initialiser.ZEROS);
                float[] update = new float[10_000];
                Arrays.fill(update, 1);
                if (1 == worker.index()) {
                    assertTrue(awake.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
                }
                long before = retainedBytes();
                for (int round = 0; round < rounds; round++) {
                    table.update(update);
                    worker.clock();
                }
                if (0 == worker.index()) {
                    // 16 MB were pushed in that time; a queue anywhere would hold a large part of them.
                    long grown = retainedBytes() - before;
                    assertTrue(grown < 4_000_000, "the process holds " + grown + " bytes more");
                    awake.countDown();
                }
                worker.drain();
                assertEquals(rounds, table.version());
                assertEquals(2 * rounds, table.get(0, 9_999));
            });
            cluster.awaitSuccess();
        }
    }

    /**
     * All workers of a host read one log. A worker that computes reads nothing, so the log holds what others wait for.
     */
    @ParameterizedTest
    @ValueSource(strings = {"fifo", "layer"})
    void aComputingWorkerDoesNotDelayBroadcastsToOthersOfItsHost(String order) {
        CountDownLatch computed = new CountDownLatch(1);
        int rounds = 6;
        ClusterSettings settings = TestCluster.terms()
                .servers(1)
                .workers(2)
                .consistency("tap")
                .sliceElements(1_000)
                .compressor("none")
                .livenessMs(10_000)
                .order(order)
                .build();
        TestCluster.run(driver, settings, worker -> {
            Table table = worker.table("w", 1, 2_000);
            worker.start(Initialiser.ZEROS);
            float[] update = new float[2_000];
            Arrays.fill(update, 1);
            if (1 == worker.index()) {
                assertTrue(computed.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
            }
            for (int round = 0; round < rounds; round++) {
                table.update(update);
                worker.clock();
            }
            if (0 == worker.index()) {
                // Six frames of 4 KiB: less than the log of 32 KiB holds, and more than two.
                Deadline.await("version 3 of one worker's rounds", () -> {
                    table.sync();
                    return table.version() >= rounds / 2;
                });
                computed.countDown();
            }
            worker.drain();
            assertEquals(2 * rounds, table.get(0, 1_999));
        });
    }

    @Test
    void aWaitForRoomEndsAtItsDeadline() {
        try (TestCluster cluster = TestCluster.start(driver, terms(TransportKind.IPC, "bsp"))) {
            cluster.adjust(context -> context.progressNs(TimeUnit.MILLISECONDS.toNanos(1_100)));
            CountDownLatch failed = new CountDownLatch(1);
            cluster.train(worker -> {
                Table table = worker.table("w", 1, ELEMENTS);
                worker.start(Initialiser.ZEROS);
                float[] update = new float[ELEMENTS];
                Arrays.fill(update, 1);
                if (0 == worker.index()) {
                    assertTrue(failed.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
                    table.sync();
                    table.update(update);
                } else {
                    try {
                        table.update(update);
                    } finally {
                        failed.countDown();
                    }
                }
                worker.clock();
                worker.drain();
            });
            ClusterException failure = cluster.awaitFailure("worker 1");
            assertEquals(Failure.TIMEOUT, failure.failure());
            assertEquals(
                    "server 0 has accepted no push for 1 s although all nodes are alive; a worker before this one may"
                            + " not have pushed",
                    failure.getMessage());
            assertEquals(Failure.TIMEOUT, cluster.awaitFailure("server 0").failure());
            assertEquals(Failure.TIMEOUT, cluster.awaitFailure("worker 0").failure());
        }
    }

    @Tag("slow")
    @Test
    void aWaitForRoomAtAPeerNamesItsTrainer() {
        ClusterSettings terms = TestCluster.terms(Protocol.PEER)
                .servers(1)
                .workers(2)
                .transport(TransportKind.IPC)
                .compressor("none")
                .livenessMs(10_000)
                .build();
        try (TestCluster cluster = TestCluster.start(driver, terms)) {
            cluster.adjust(context -> context.progressNs(TimeUnit.MILLISECONDS.toNanos(1_100)));
            CountDownLatch failed = new CountDownLatch(1);
            cluster.train(worker -> {
                FactorTable table = worker.factors("w", 1, ELEMENTS, 1, "all");
                worker.start(Initialiser.ZEROS);
                table.sync();
                if (0 == worker.index()) {
                    assertTrue(failed.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
                }
                float[] vector = new float[ELEMENTS];
                Arrays.fill(vector, 1);
                table.add(new float[] {1}, vector);
                try {
                    worker.clock();
                } finally {
                    failed.countDown();
                }
                worker.drain();
            });
            ClusterException failure = cluster.awaitFailure("worker 1");
            assertEquals(Failure.TIMEOUT, failure.failure());
            assertEquals(
                    "worker 0 has accepted no push for 1 s although all nodes are alive; its trainer may have computed"
                            + " for longer than that",
                    failure.getMessage());
        }
    }

    /** Memory that the process uses, on the heap and in direct buffers. */
    private static long retainedBytes() {
        System.gc();
        long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> "direct".equals(pool.getName()))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .reduce(heap, Long::sum);
    }
}
