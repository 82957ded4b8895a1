package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ThreadingMode;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Which frames may overtake others. An urgent table overtakes the others of its round, on a slow link and at a server
 * that defers earlier frames. Under BSP no frame overtakes a frame of an earlier round: the server adds frames in a
 * fixed order, and one that it must defer may delay all frames after it.
 */
@Timeout(240)
class RoundOrderTest {
    private static final int LARGE = 64 * 100;

    private static TestDriver driver;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    private static ClusterSettings terms(String consistency, String order, int workers) {
        return TestCluster.terms()
                .servers(1)
                .workers(workers)
                .consistency(consistency)
                .compressor("none")
                .order(order)
                .linkBudget("3mbit", 1_000)
                .build();
    }

    private static float[] ones(int length) {
        float[] update = new float[length];
        Arrays.fill(update, 1);
        return update;
    }

    /** The large table, updated first, takes 100 ms; the small one is needed first. */
    @Tag("slow")
    @ParameterizedTest
    @CsvSource({"layer, bsp", "layer, ssp:2", "fifo, bsp"})
    void theFirstLayerOvertakesEarlierUpdates(String order, String consistency) {
        AtomicInteger overtaken = new AtomicInteger();
        int rounds = 5;
        try (TestCluster cluster = TestCluster.start(driver, terms(consistency, order, 1))) {
            cluster.adjustWorkers(RoundOrderTest::patient);
            cluster.train(worker -> {
                Table small = worker.table("small", 1, 64);
                Table large = worker.table("large", 1, LARGE);
                worker.start(Initialiser.ZEROS);
                for (int round = 1; round <= rounds; round++) {
                    small.sync();
                    large.sync();
                    large.update(ones(LARGE));
                    small.update(ones(64));
                    worker.clock();
                    while (small.version() < round) {
                        small.sync();
                        Thread.onSpinWait();
                        if (Thread.interrupted()) {
                            throw new InterruptedException("small is at version " + small.version());
                        }
                    }
                    overtaken.addAndGet(large.version() < round ? 1 : 0);
                    worker.drain();
                }
                assertEquals(rounds, large.get(0, LARGE - 1));
            });
            cluster.awaitSuccess();
        }
        if ("fifo".equals(order)) {
            assertEquals(0, overtaken.get());
        } else {
            assertTrue(overtaken.get() > 0, "the small table never arrived first");
        }
    }

    /**
     * Worker 0 skips the small table in every other iteration and waits for the large one. Meanwhile worker 1 pushes
     * the small one, which is deferred until worker 0 has pushed: it must not precede the last round of the large one.
     */
    @Test
    void aDeferredFrameIsNeverAheadOfTheRoundBefore() {
        int rounds = 8;
        try (TestCluster cluster = TestCluster.start(driver, terms("bsp", "layer", 2))) {
            cluster.adjustWorkers(RoundOrderTest::patient)
                    .adjust(context -> context.progressNs(TimeUnit.SECONDS.toNanos(3)));
            cluster.train(worker -> {
                Table small = worker.table("small", 1, 64);
                Table large = worker.table("large", 1, LARGE);
                worker.start(Initialiser.ZEROS);
                for (int round = 1; round <= rounds; round++) {
                    if (1 == worker.index() || round % 2 == 1) {
                        small.sync();
                        small.update(ones(64));
                    }
                    large.sync();
                    large.update(ones(LARGE));
                    worker.clock();
                }
                worker.drain();
                assertEquals(rounds + rounds / 2, small.get(0, 63));
                assertEquals(2 * rounds, large.get(0, LARGE - 1));
            });
            cluster.awaitSuccess();
        }
    }

    /**
     * Worker 1 sends the large table, then the small one; worker 0 sends the large one only after it has received the
     * small one. The early parts of the large one must not precede the small one.
     */
    @Test
    void earlyFramesDoNotDelayUrgentOnes() {
        int rounds = 4;
        ClusterSettings terms = TestCluster.terms()
                .servers(1)
                .workers(2)
                .compressor("none")
                .order("layer")
                .build();
        try (TestCluster cluster = TestCluster.start(driver, terms)) {
            cluster.adjustWorkers(worker -> worker.outboxFrames(256).sending(ThreadingMode.INVOKER));
            cluster.train(worker -> {
                Table small = worker.table("small", 1, 64);
                Table large = worker.table("large", 1, LARGE);
                worker.start(Initialiser.ZEROS);
                for (int round = 1; round <= rounds; round++) {
                    small.sync();
                    large.sync();
                    if (1 == worker.index()) {
                        large.update(ones(LARGE));
                        while (worker.work() > 0) {
                            Thread.onSpinWait(); // until all of it is in flight
                        }
                    }
                    small.update(ones(64));
                    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
                    while (0 == worker.index() && small.version() < round && System.nanoTime() < deadlineNs) {
                        small.sync();
                    }
                    assertTrue(1 == worker.index() || small.version() == round, "the small table waits for the large");
                    if (0 == worker.index()) {
                        large.update(ones(LARGE));
                    }
                    worker.clock();
                }
                worker.drain();
                assertEquals(2 * rounds, small.get(0, 63));
                assertEquals(2 * rounds, large.get(0, LARGE - 1));
            });
            cluster.awaitSuccess();
        }
    }

    private static void patient(WorkerContext worker) {
        worker.outboxFrames(256);
    }
}
