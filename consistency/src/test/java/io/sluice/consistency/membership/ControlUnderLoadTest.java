package io.sluice.consistency.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.ThreadingMode;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.consistency.wire.Streams;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.messaging.DriverView;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Heartbeats and events have streams of their own: data that no node reads, on full logs over UDP, delays neither. A
 * node would be silent for long if its heartbeats were stuck behind data, and the liveness time is short.
 */
@Tag("slow")
@Timeout(240)
class ControlUnderLoadTest {
    private static final int LIVENESS_MS = 1_000;
    private static final long STALLED_MS = 3 * LIVENESS_MS;
    private static final int TERM_LENGTH = 64 << 10;

    /** Dense, many times what a log holds. */
    private static final int ELEMENTS = 200_000;

    private TestDriver driver;

    @BeforeEach
    void launch() {
        driver = TestDriver.launch(TERM_LENGTH);
    }

    @AfterEach
    void close() {
        driver.close();
    }

    private TestCluster start(String consistency, ThreadingMode mode) {
        ClusterSettings terms = TestCluster.terms()
                .servers(2)
                .workers(2)
                .transport(TransportKind.UDP)
                .consistency(consistency)
                .sliceElements(1_000)
                .compressor("none") // compressed, the update might fit into the log
                .heartbeatMs(100)
                .livenessMs(LIVENESS_MS)
                .build();
        return TestCluster.of(driver, terms)
                .adjustServers(context -> context.threading(mode))
                .serve();
    }

    private static Table started(Worker worker) {
        Table table = worker.table("w", 1, ELEMENTS);
        worker.start(Initialiser.ZEROS);
        return table;
    }

    private static float[] ones() {
        float[] update = new float[ELEMENTS];
        Arrays.fill(update, 1);
        return update;
    }

    /** Waits until an amount has not changed for three times as long as a node may be silent. */
    private static void awaitLongStall(String what, LongSupplier amount) {
        long[] last = {-1, System.nanoTime()};
        Deadline.await(what + " stops growing", () -> {
            long now = amount.getAsLong();
            if (now != last[0]) {
                last[0] = now;
                last[1] = System.nanoTime();
            }
            return now > 0 && System.nanoTime() - last[1] > TimeUnit.MILLISECONDS.toNanos(STALLED_MS);
        });
    }

    /** Ordered sums leave the pushes of worker 1 in its links until worker 0 pushes, which it never does. */
    @ParameterizedTest
    @EnumSource
    void aNodeWhosePushesStallIsAliveAndReceivesEvents(ThreadingMode mode) {
        AtomicReference<Worker> pushing = new AtomicReference<>();
        CountDownLatch never = new CountDownLatch(1);
        try (TestCluster cluster = start("bsp", mode)) {
            cluster.train(worker -> {
                Table table = started(worker);
                table.sync();
                if (0 == worker.index()) {
                    never.await();
                }
                pushing.set(worker);
                table.update(ones());
            });
            Deadline.await("worker 1 pushes", () -> null != pushing.get());
            awaitLongStall("what worker 1 pushes", () -> pushing.get().bytesPushed());
            cluster.thread("server 1").interrupt();
            ClusterException failure = cluster.awaitFailure("worker 1");
            assertReportsServer1(failure);
            assertReportsServer1(cluster.awaitFailure("server 0"));
        }
    }

    /** Worker 0 reads no broadcast while worker 1 pushes as fast as the servers can process it. */
    @ParameterizedTest
    @EnumSource
    void aNodeThatReadsNoBroadcastsIsAliveAndReceivesEvents(ThreadingMode mode) {
        CountDownLatch heard = new CountDownLatch(1);
        AtomicReference<Worker> pushing = new AtomicReference<>();
        try (TestCluster cluster = start("tap", mode)) {
            cluster.train(worker -> {
                Table table = started(worker);
                if (0 == worker.index()) {
                    heard.await(); // reads nothing; only the agent of its heartbeats works
                    table.sync();
                    throw new AssertionError("the failure of the cluster is thrown");
                }
                pushing.set(worker);
                while (true) {
                    table.update(ones());
                    worker.clock();
                }
            });
            Deadline.await("worker 1 pushes", () -> null != pushing.get());
            long startNs = System.nanoTime();
            Deadline.await(
                    "pushes continue for longer than the liveness time",
                    () -> System.nanoTime() - startNs > TimeUnit.MILLISECONDS.toNanos(STALLED_MS)
                            && pushing.get().bytesPushed() > 100L * TERM_LENGTH);
            cluster.thread("server 1").interrupt();
            assertReportsServer1(cluster.awaitFailure("worker 1"));
            assertReportsServer1(cluster.awaitFailure("server 0"));
            // Each node records its failure; the record of a closed node may be gone.
            Deadline.await("the failure of server 1 is recorded", () -> records("server 1: failed") > 0);
            assertTrue(cluster.thread("worker 0").isAlive(), "worker 0 has not read anything yet");
            heard.countDown();
            assertReportsServer1(cluster.awaitFailure("worker 0"));
        }
    }

    private static void assertReportsServer1(ClusterException failure) {
        assertEquals(Failure.PEER_FAILED, failure.failure(), failure.getMessage());
        assertTrue(failure.getMessage().startsWith("server 1: failed at clock "), failure.getMessage());
    }

    private long records(String sentence) {
        try (DriverView view = DriverView.open(driver.directory())) {
            return view.errors().stream()
                    .filter(error -> error.text().contains(sentence))
                    .count();
        }
    }

    @Test
    void noClustersDataIsOnTheStreamOfControl() {
        Property.holds(50, random -> {
            Streams streams = new Streams(random.nextLong());
            int node = random.nextInt(ControlIds.COORDINATOR);
            assertNotEquals(ControlIds.STREAM, streams.to(node, random.nextInt(100)));
            assertNotEquals(ControlIds.STREAM, streams.broadcast());
        });
    }
}
