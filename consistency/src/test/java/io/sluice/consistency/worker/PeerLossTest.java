package io.sluice.consistency.worker;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.codecs.Property;
import io.sluice.codecs.api.ClusterSecret;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TamperedPath;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.standard.Multicast;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.ThreadingMode;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.consistency.wire.Streams;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.driver.ChannelSettings;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the links between workers lose is sent again, and changes no bit. */
@Timeout(240)
class PeerLossTest {
    private static final ClusterSecret SECRET = ClusterSecret.of("what these nodes know".getBytes(US_ASCII));
    private static final String MULTICAST = "random:2;sync=5;rotate=3";
    private static final int WORKERS = 4;
    private static final int SLICE = 16;
    private static final int CLOCKS = 14;
    private static final int HALF = CLOCKS / 2;
    private static final int VICTIM = 1;

    private final CountDownLatch paused = new CountDownLatch(WORKERS);
    private final CountDownLatch resume = new CountDownLatch(1);

    @AfterEach
    void restore() {
        TamperedPath.restore();
    }

    private static ClusterSettings terms(boolean sealed) {
        return TestCluster.terms(Protocol.PEER)
                .workers(WORKERS)
                .transport(TransportKind.UDP)
                .compressor("none")
                .sliceElements(SLICE)
                .livenessMs(10_000)
                .seal(sealed)
                .build();
    }

    private void train(Worker worker, long seed, int pause) throws InterruptedException {
        Multicast multicast = Multicast.named(MULTICAST).among(WORKERS);
        FactorTable table =
                worker.factors("w", PeerRunTest.ROWS, PeerRunTest.COLUMNS, PeerRunTest.GROUPS, "all", MULTICAST);
        worker.start(Initialiser.ZEROS);
        for (long clock = 1; clock <= CLOCKS; clock++) {
            if (pause == clock) {
                worker.drain();
                paused.countDown();
                assertTrue(resume.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
            }
            table.sync();
            PeerRunTest.Batch.of(seed, worker.index(), clock, false).addTo(table);
            worker.clock();
        }
        worker.drain();
        float[][] expected = PeerRunTest.expected(seed, WORKERS, multicast, SLICE, CLOCKS);
        assertArrayEquals(expected[worker.index()], PeerRunTest.copy(table));
    }

    @Test
    void lostDatagramsChangeNoBit() {
        resume.countDown();
        Property.holds(1, random -> {
            long seed = random.nextLong();
            try (TestDriver driver = TestDriver.lossy(0.03, random.nextLong(), 1 << 16)) {
                TestCluster.run(driver, terms(false), worker -> train(worker, seed, HALF));
            }
        });
    }

    /**
     * A long cut is longer than a receiver keeps a stream, so the sender has to open another one. In the last clock the
     * senders have completed by then.
     */
    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @CsvSource({
        HALF + ", true, DEDICATED, 10000",
        CLOCKS + ", false, INVOKER, 10000",
        CLOCKS + ", true, DEDICATED, 10000"
    })
    void anOutageOfAllLinksToAWorkerChangesNoBit(int pause, boolean sealed, ThreadingMode mode, int cutMs)
            throws Exception {
        ChannelSettings lengths = new ChannelSettings().ipcTermLength(1 << 20).udpTermLength(1 << 20);
        try (TestDriver driver = TamperedPath.launch(lengths, TimeUnit.SECONDS.toNanos(2));
                TestCluster cluster = TestCluster.of(driver, terms(sealed))
                        .adjust(context -> context.secret(SECRET))
                        .adjustWorkers(worker -> worker.sending(mode))
                        .serve()) {
            CountDownLatch completed = new CountDownLatch(WORKERS - 1);
            cluster.train(worker -> {
                train(worker, 17, pause);
                if (VICTIM != worker.index()) {
                    completed.countDown();
                } else if (CLOCKS == pause) {
                    assertTrue(driver.sum(CounterType.NODE_PUSHES_ASKED, "") > 0, "it has asked for what it lost");
                }
            });
            assertTrue(paused.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
            int victim = cluster.plan().workerNode(VICTIM);
            TamperedPath.watch(new Streams(cluster.plan().clusterId()).to(victim, 0));
            TamperedPath.cut(true);
            resume.countDown();
            Thread.sleep(cutMs);
            if (CLOCKS == pause) {
                assertTrue(completed.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS), "the senders complete");
            }
            TamperedPath.cut(false);
            cluster.awaitSuccess();
            assertEquals(0, cluster.failures().size());
        }
    }
}
