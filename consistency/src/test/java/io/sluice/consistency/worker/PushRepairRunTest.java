package io.sluice.consistency.worker;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.codecs.api.ClusterSecret;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TamperedPath;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.ThreadingMode;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.consistency.wire.Streams;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.driver.ChannelSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Pushes to one server are cut off, damaged in spite of a correct UDP checksum, or displaced by forged datagrams. The
 * job continues by itself, and every replica at every version is bit-identical to an undisturbed run.
 */
@Timeout(240)
class PushRepairRunTest {
    private static final ClusterSecret SECRET = ClusterSecret.of("what these nodes know".getBytes(US_ASCII));
    private static final int CLOCKS = 12;
    private static final int HALF = 5;
    private static final int SLICE = 500;
    private static final int LIVENESS_MS = 1_000;
    private static final int VICTIM = 1;
    private static final List<Shape> SHAPES = List.of(new Shape("w", 20, 1_000), new Shape("b", 1, 9));

    /** The driver drops a silent stream after three times this time. */
    private static final long CLIENT_LIVENESS_NS = TimeUnit.SECONDS.toNanos(2);

    private final CountDownLatch half = new CountDownLatch(3);
    private final CountDownLatch resume = new CountDownLatch(1);

    @AfterEach
    void restore() {
        TamperedPath.restore();
    }

    private static ClusterSettingsBuilder terms(boolean sealed) {
        return TestCluster.terms()
                .transport(TransportKind.UDP)
                .compressor("none")
                .sliceElements(SLICE)
                .livenessMs(LIVENESS_MS)
                .seal(sealed);
    }

    private static TestDriver driver() {
        ChannelSettings lengths = new ChannelSettings().ipcTermLength(1 << 20).udpTermLength(1 << 20);
        return TamperedPath.launch(lengths, CLIENT_LIVENESS_NS);
    }

    @TempDir
    private Path folder;

    private TestCluster cluster(TestDriver driver, ClusterSettings settings, ThreadingMode mode) {
        TestCluster cluster = TestCluster.of(driver, settings)
                .adjust(context -> context.secret(SECRET))
                .adjustWorkers(worker -> worker.sending(mode));
        if (DeathPolicy.WAIT == settings.onDeath()) {
            cluster.adjust(context -> context.snapshots(folder)).adjustServers(server -> {
                if (0 == server.index()) {
                    server.takeSnapshots("100000", false);
                }
            });
        }
        return cluster.serve();
    }

    private static void awaitHalf(CountDownLatch latch) throws InterruptedException {
        assertTrue(latch.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
    }

    private static int pushStream(ClusterPlan plan) {
        return new Streams(plan.clusterId()).to(VICTIM, 0);
    }

    private void train(Worker worker, Updates updates) {
        Reference.train(worker, updates, CLOCKS, round -> {
            if (HALF == round) {
                worker.drain();
                half.countDown();
                Deadline.await("all may continue", () -> 0 == resume.getCount(), worker::drain);
            }
        });
    }

    /** The path is cut for longer than receivers keep a stream, which is 6 s here. */
    @Tag("slow")
    @Drawn
    @ParameterizedTest
    @CsvSource({"false, INVOKER, FAIL", "true, DEDICATED, WAIT"})
    void framesLostWithTheirStreamArePushedAgain(boolean sealed, ThreadingMode mode, DeathPolicy onDeath)
            throws Exception {
        outage(terms(sealed).onDeath(onDeath).build(), 10_000, mode);
    }

    @Test
    @Tag("slow")
    void aShortOutageChangesNoBit() throws Exception {
        outage(terms(true).build(), 2_500, ThreadingMode.DEDICATED);
    }

    private void outage(ClusterSettings settings, int cutMs, ThreadingMode mode) throws Exception {
        Updates updates = new Updates(21, SHAPES);
        try (TestDriver driver = driver();
                TestCluster cluster = cluster(driver, settings, mode)) {
            cluster.train(worker -> train(worker, updates));
            awaitHalf(half);
            TamperedPath.watch(pushStream(cluster.plan()));
            TamperedPath.cut(true);
            resume.countDown();
            Thread.sleep(cutMs);
            TamperedPath.cut(false);
            cluster.awaitSuccess();
        }
    }

    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @CsvSource({"false, 1, FAIL", "true, 7, FAIL", "true, 20, WAIT"})
    void damagedFramesAreRequestedAgain(boolean sealed, int datagrams, DeathPolicy onDeath) throws Exception {
        Updates updates = new Updates(22, SHAPES);
        ClusterSettings settings = terms(sealed).onDeath(onDeath).build();
        try (TestDriver driver = driver();
                TestCluster cluster = cluster(driver, settings, ThreadingMode.INVOKER)) {
            cluster.train(worker -> train(worker, updates));
            awaitHalf(half);
            TamperedPath.watch(pushStream(cluster.plan()));
            TamperedPath.corrupt(datagrams);
            resume.countDown();
            cluster.awaitSuccess();
            assertEquals(0, TamperedPath.toCorrupt());
            long rejected = cluster.reports().get(VICTIM).framesRejected();
            assertTrue(rejected >= datagrams, rejected + " are counted");
        }
    }

    /** Each datagram displaces a frame, and has a length after which the stream cannot continue. */
    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @CsvSource({"FAIL, INVOKER, 96", "WAIT, DEDICATED, 512"})
    void aStreamWithForgedDatagramsIsGivenUp(DeathPolicy onDeath, ThreadingMode mode, int payload) throws Exception {
        Updates updates = new Updates(23, SHAPES);
        ClusterSettings settings = terms(true).onDeath(onDeath).build();
        try (TestDriver driver = driver();
                TestCluster cluster = cluster(driver, settings, mode)) {
            cluster.train(worker -> train(worker, updates));
            TamperedPath.watch(pushStream(cluster.plan()));
            awaitHalf(half);
            Endpoint endpoint =
                    Endpoint.parse(cluster.plan().nodes().get(VICTIM).endpoint());
            for (TamperedPath.Position position : TamperedPath.next().values()) {
                TamperedPath.forge(endpoint, position, 3, payload);
            }
            Thread.sleep(100);
            resume.countDown();
            cluster.awaitSuccess();
            long rejected = cluster.reports().get(VICTIM).framesRejected();
            assertTrue(rejected >= 9, rejected + " are counted");
        }
    }
}
