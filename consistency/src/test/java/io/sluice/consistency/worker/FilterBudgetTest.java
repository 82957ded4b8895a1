package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ClusterSettings;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The filter {@code budget} counts all bytes that a node sends in a clock, headers and round commits included. */
@Timeout(240)
class FilterBudgetTest {
    private static final int SETTLED = 100;
    private static final int CLOCKS = 300;

    /** The layers of a small perceptron: two of four tables are too small for a share of their own. */
    private static final int[][] SHAPES = {{256, 64}, {1, 64}, {64, 10}, {1, 10}};

    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @CsvSource({"2, 2048", "1, 4096", "3, 10000"})
    void holdsForANodeWithFourTables(int servers, long budget) {
        ClusterSettings settings = TestCluster.terms()
                .servers(servers)
                .workers(2)
                .sliceElements(4_096)
                .filter("budget:" + budget)
                .build();
        AtomicLong pushed = new AtomicLong();
        List<ServerReport> reports;
        try (TestDriver driver = TestDriver.launch()) {
            reports = TestCluster.run(driver, settings, worker -> pushed.addAndGet(train(worker)));
        }
        long measured = CLOCKS - SETTLED;
        assertEquals(1.0, pushed.get() / (2.0 * measured) / budget, 0.12, "pushed by a worker in a clock");
        long broadcast =
                reports.stream().mapToLong(ServerReport::bytesBroadcast).sum();
        // Several servers are pushed less than each of them may broadcast.
        double share = broadcast / (2.0 * servers * CLOCKS) / budget;
        assertTrue(share > 0.5 && share < 1.12, share + " of the budget broadcast by a server in a clock");
    }

    private static long train(Worker worker) {
        Table[] tables = new Table[SHAPES.length];
        float[][] updates = new float[SHAPES.length][];
        for (int i = 0; i < SHAPES.length; i++) {
            tables[i] = worker.table("w" + i, SHAPES[i][0], SHAPES[i][1]);
            updates[i] = new float[SHAPES[i][0] * SHAPES[i][1]];
        }
        worker.start(Initialiser.ZEROS);
        SplittableRandom random = new SplittableRandom(worker.index());
        long before = 0;
        for (int clock = 0; clock < CLOCKS; clock++) {
            before = clock == SETTLED ? worker.bytesPushed() : before;
            for (int i = 0; i < tables.length; i++) {
                tables[i].sync();
                for (int j = 0; j < updates[i].length; j++) {
                    updates[i][j] = (float) random.nextGaussian();
                }
                tables[i].update(updates[i]);
            }
            worker.clock();
        }
        long bytes = worker.bytesPushed() - before;
        worker.drain();
        return bytes;
    }
}
