package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.membership.ClusterSettings;
import io.sluice.consistency.membership.FilterKind;
import io.sluice.consistency.membership.Protocol;
import io.sluice.consistency.membership.TransportKind;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Once compiled, an iteration makes no garbage: not in the trainer's calls, and not in the server's duty cycles. */
@Timeout(60)
class AllocationTest {
    private static final int BATCHES = 100;
    private static final int BATCH = 500;

    private static TestDriver driver;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final AtomicLong leastAtWorker = new AtomicLong(Long.MAX_VALUE);
    private final AtomicLong leastAtServer = new AtomicLong(Long.MAX_VALUE);

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    @ParameterizedTest
    @CsvSource({
        "ipc, none, push-pull, bsp",
        "ipc, none, update, bsp",
        "udp, none, update, bsp",
        "ipc, lz4, update, ssp:2",
        "udp, lz4, update, bsp",
        "ipc, none, push-pull, bsp"
    })
    void anIterationAllocatesNothing(String medium, String compressor, String protocol, String consistency) {
        ClusterSettings settings = TestCluster.terms()
                .servers(1)
                .workers(1)
                .transport("ipc".equals(medium) ? TransportKind.IPC : TransportKind.UDP)
                .protocol("update".equals(protocol) ? Protocol.UPDATE : Protocol.PUSH_PULL)
                .consistency(consistency)
                .compressor(compressor)
                .filter(FilterKind.DVF)
                .delta(1)
                .sliceElements(256)
                .build();
        try (TestCluster cluster = TestCluster.start(driver, settings)) {
            cluster.train(worker -> measure(worker, cluster.thread("server 0").threadId()));
            cluster.awaitSuccess();
        }
        assertEquals(0, leastAtWorker.get(), "bytes in the best batch of the worker");
        assertEquals(0, leastAtServer.get(), "bytes in the best batch of the server");
    }

    private void measure(Worker worker, long serverThread) {
        Table table = worker.table("w", 8, 100);
        Table sparse = worker.table("s", 4, 10);
        worker.start(Initialiser.ZEROS);
        float[] update = new float[800];
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < update.length; i++) {
            update[i] = (float) random.nextDouble(-1, 1);
        }
        // The compiler works in the background: measure in batches until one is clean on both sides, or give up.
        for (int batch = 0; batch < BATCHES && leastAtWorker.get() + leastAtServer.get() != 0; batch++) {
            long atServer = threads.getThreadAllocatedBytes(serverThread);
            long atWorker = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < BATCH; i++) {
                table.sync();
                table.update(update);
                sparse.inc(1, 2, 0.5f);
                worker.clock();
            }
            least(leastAtWorker, threads.getCurrentThreadAllocatedBytes() - atWorker);
            least(leastAtServer, threads.getThreadAllocatedBytes(serverThread) - atServer);
        }
    }

    private static void least(AtomicLong least, long bytes) {
        least.set(Math.min(least.get(), bytes));
    }
}
