package io.sluice.consistency.membership;

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
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Without the media driver no message arrives: each node detects the loss itself. */
@Timeout(240)
class DriverLossTest {
    /** Time for the 3 s until a dead driver is detected, for leaves that no node receives, and for a busy machine. */
    private static final long WITHIN_MS = 20_000;

    @Tag("slow")
    @Test
    void aKilledDriverIsReportedByAll() throws Exception {
        requireReported(TestDriver.inChild());
    }

    @Tag("slow")
    @Test
    void aClosedDriverIsReportedByAll() throws Exception {
        requireReported(TestDriver.launch());
    }

    /** The sending thread detects the closed link first. It must not hide the cause from the other thread. */
    @Tag("slow")
    @ParameterizedTest
    @EnumSource(ThreadingMode.class)
    void eachSendingModeReportsTheLossOfTheDriver(ThreadingMode mode) throws Exception {
        requireReported(TestDriver.launch(), "layer", mode);
    }

    private static void requireReported(TestDriver driver) throws IOException, InterruptedException {
        requireReported(driver, "fifo", null);
    }

    private static void requireReported(TestDriver driver, String order, ThreadingMode mode)
            throws IOException, InterruptedException {
        CountDownLatch training = new CountDownLatch(2);
        // Nodes would detect silence much later, so they report the loss of the driver.
        ClusterSettings settings =
                TestCluster.terms().workers(2).livenessMs(30_000).order(order).build();
        try (driver;
                TestCluster cluster = TestCluster.start(driver, settings)) {
            cluster.adjustWorkers(worker -> worker.sending(mode));
            cluster.train(worker -> ChildNode.train(worker, training::countDown));
            assertTrue(training.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
            long startNs = System.nanoTime();
            driver.close();
            for (String node : new String[] {"server 0", "server 1", "worker 0", "worker 1"}) {
                ClusterException failure = cluster.awaitFailure(node);
                assertEquals(Failure.PEER_LOST, failure.failure(), node + ": " + failure.getMessage());
                assertTrue(failure.getMessage().contains("media driver"), node + ": " + failure.getMessage());
                long afterMs = TimeUnit.NANOSECONDS.toMillis(cluster.endedNs(node) - startNs);
                assertTrue(afterMs < WITHIN_MS, node + " took " + afterMs + " ms");
            }
        }
    }
}
