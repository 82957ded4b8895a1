package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class ClockFiguresTest {
    private record Seen(long clock, long pushed, long received, double kept, long waitNs, long pushNs, long staleness) {
        static Seen of(ClockFigures figures) {
            return new Seen(
                    figures.clock(),
                    figures.bytesPushed(),
                    figures.bytesReceived(),
                    figures.keptShare(),
                    figures.waitNs(),
                    figures.pushNs(),
                    figures.staleness());
        }
    }

    @Test
    void figuresOfAllClocksAddUp() {
        ClusterSettings settings = TestCluster.terms().workers(1).build();
        List<Seen> seen = new ArrayList<>();
        List<String> texts = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        try (TestDriver driver = TestDriver.launch();
                TestCluster cluster = TestCluster.start(driver, settings)) {
            cluster.adjustWorkers(context -> context.onClock(figures -> {
                seen.add(Seen.of(figures));
                texts.add(figures.toString());
                threads.add(Thread.currentThread());
            }));
            cluster.train(worker -> {
                Table table = worker.table("w", 8, 8);
                worker.start(Initialiser.ZEROS);
                long before = worker.bytesPushed();
                float[] update = new float[64];
                Arrays.fill(update, 0, 16, 1);
                for (int clock = 0; clock < 5; clock++) {
                    table.sync();
                    table.update(update);
                    worker.clock();
                }
                assertEquals(
                        worker.bytesPushed() - before,
                        seen.stream().mapToLong(Seen::pushed).sum());
                assertEquals(
                        worker.stats().bytesDecoded(),
                        seen.stream().mapToLong(Seen::received).sum());
                assertSame(Thread.currentThread(), threads.getLast());
                worker.drain();
            });
            cluster.awaitSuccess();
        }
        assertEquals(List.of(1L, 2L, 3L, 4L, 5L), seen.stream().map(Seen::clock).toList());
        String last = "clock 5: [0-9,]+ bytes pushed, [0-9,]+ received; 25.000 % of 64 elements kept, threshold 0.00;"
                + " [0-9.]+ ms waiting, [0-9.]+ ms pushing; 0 clocks stale";
        assertTrue(texts.getLast().matches(last), texts.getLast());
        for (Seen each : seen) {
            assertEquals(0.25, each.kept);
            assertEquals(0, each.staleness);
            assertTrue(each.pushed > 16 * Float.BYTES && each.pushNs > 0 && each.waitNs > 0, each.toString());
        }
    }

    @Test
    void anExceptionOfTheListenerEndsTheJob() {
        ClusterSettings settings = TestCluster.terms().workers(1).build();
        IllegalStateException mistake = new IllegalStateException("the disk of the log is full");
        try (TestDriver driver = TestDriver.launch();
                TestCluster cluster = TestCluster.start(driver, settings)) {
            cluster.adjustWorkers(context -> context.onClock(figures -> {
                throw mistake;
            }));
            cluster.train(worker -> {
                worker.table("w", 1, 1).spec();
                worker.start(Initialiser.ZEROS);
                assertSame(mistake, assertThrows(IllegalStateException.class, worker::clock));
                throw mistake;
            });
            assertSame(mistake, cluster.awaitEnd("worker 0"));
        }
    }
}
