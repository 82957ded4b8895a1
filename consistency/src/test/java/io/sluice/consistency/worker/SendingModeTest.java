package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.ChildNode;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.ThreadingMode;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** In every sending mode a full outbox delays the trainer, and the trainer gets failures of the sending thread. */
@Timeout(240)
class SendingModeTest {
    private static final int ELEMENTS = 100_000;
    private static final int FRAMES = 4;

    private static Consumer<WorkerContext> in(ThreadingMode mode) {
        return worker -> worker.sending(mode).outboxFrames(FRAMES);
    }

    /** BSP sums in worker order, so the pushes of worker 1 stay on its link until worker 0 has pushed its part. */
    @ParameterizedTest
    @Tag("slow")
    @EnumSource
    void anUpdateWaitsWhileItsOutboxIsFull(ThreadingMode mode) {
        ClusterSettings settings = TestCluster.terms()
                .servers(1)
                .workers(2)
                .sliceElements(1_000)
                .compressor("none")
                .linkBudget("10gbit", 1 << 20) // with an order the server would hold early frames
                .livenessMs(10_000)
                .build();
        AtomicBoolean firstPushes = new AtomicBoolean();
        AtomicReference<Worker> second = new AtomicReference<>();
        try (TestDriver driver = TestDriver.launch(64 << 10);
                TestCluster cluster = TestCluster.start(driver, settings).adjustWorkers(in(mode))) {
            cluster.train(worker -> {
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
            cluster.awaitSuccess();
        }
    }

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
        // Eight frames of 4 KiB and one on top: the log is short.
        assertTrue(last[0] <= 10 * 4_160, "more bytes in flight than a short log has: " + last[0]);
    }

    @ParameterizedTest
    @EnumSource
    void theLossOfTheDriverReachesTheTrainer(ThreadingMode mode) throws Exception {
        CountDownLatch training = new CountDownLatch(2);
        ClusterSettings settings =
                TestCluster.terms().workers(2).order("layer").livenessMs(30_000).build();
        TestDriver driver = TestDriver.launch();
        try (driver;
                TestCluster cluster = TestCluster.start(driver, settings).adjustWorkers(in(mode))) {
            cluster.train(worker -> ChildNode.train(worker, training::countDown));
            assertTrue(training.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
            driver.close();
            for (String node : new String[] {"worker 0", "worker 1"}) {
                ClusterException failure = cluster.awaitFailure(node);
                assertEquals(Failure.PEER_LOST, failure.failure(), node + ": " + failure.getMessage());
            }
        }
    }
}
