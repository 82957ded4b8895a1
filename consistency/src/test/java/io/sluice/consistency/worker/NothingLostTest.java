package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.TransportKind;
import java.util.Collection;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Many rounds of the logs, with and without datagram loss: replicas hold every update, up to the residuals. */
@Timeout(180)
class NothingLostTest {
    private static final int FLOATS = 20_000;
    private static final int CLOCKS = 30;
    private static final int WORKERS = 3;
    private static final int TERM = 1 << 16;

    /** Updates in 1/1024ths, so that f32 sums are exact in any order. */
    private static float[] update(int worker, int clock) {
        Random random = new Random(1_000L * clock + worker);
        float[] update = new float[FLOATS];
        for (int i = 0; i < FLOATS; i++) {
            update[i] = random.nextInt(-128, 129) / 1024f;
        }
        return update;
    }

    private static float[] sumOfAll() {
        float[] sum = new float[FLOATS];
        for (int clock = 1; clock <= CLOCKS; clock++) {
            for (int worker = 0; worker < WORKERS; worker++) {
                float[] update = update(worker, clock);
                for (int i = 0; i < FLOATS; i++) {
                    sum[i] += update[i];
                }
            }
        }
        return sum;
    }

    /** The final parameters of each worker. */
    private static Collection<float[]> pushed(ClusterSettingsBuilder terms, double loss) {
        ClusterSettings settings = terms.workers(WORKERS)
                .servers(2)
                .sliceElements(1_500)
                .livenessMs(10_000)
                .build();
        Collection<float[]> ends = new ConcurrentLinkedQueue<>();
        try (TestDriver driver = 0 < loss ? TestDriver.lossy(loss, 1, TERM) : TestDriver.launch(TERM)) {
            TestCluster.run(driver, settings, worker -> ends.add(pushAll(worker)));
        }
        assertEquals(WORKERS, ends.size());
        return ends;
    }

    private static float[] pushAll(Worker worker) {
        Table table = worker.table("t", 1, FLOATS);
        worker.start(Initialiser.ZEROS);
        for (int clock = 1; clock <= CLOCKS; clock++) {
            table.sync();
            table.update(update(worker.index(), clock));
            worker.clock();
        }
        worker.drain();
        assertTrue(worker.bytesPushed() > 12L * TERM, "the logs wrapped around: " + worker.bytesPushed());
        assertEquals(0, worker.framesRejected());
        float[] parameters = new float[FLOATS];
        table.view().copyTo(0, parameters);
        return parameters;
    }

    @Drawn
    @ParameterizedTest
    @CsvSource({"IPC, bsp, 0", "IPC, ssp:2, 0", "IPC, tap, 0", "UDP, bsp, 0", "UDP, ssp:2, 0.02"})
    void everyUpdateArrivesExactly(TransportKind transport, String consistency, double loss) {
        ClusterSettingsBuilder terms =
                ClusterSettings.builder().filter("none").transport(transport).consistency(consistency);
        float[] expected = sumOfAll();
        for (float[] parameters : pushed(terms, loss)) {
            assertArrayEquals(expected, parameters);
        }
    }

    @Tag("slow")
    @ParameterizedTest
    @CsvSource({"IPC, bsp, 0", "UDP, ssp:2, 0.02"})
    void theFilterHoldsBackAtMostOneThresholdAtEachNode(TransportKind transport, String consistency, double loss) {
        double delta = 0.3;
        ClusterSettingsBuilder terms = ClusterSettings.builder()
                .filter("dvf:" + delta)
                .transport(transport)
                .consistency(consistency);
        double bound = (WORKERS + 1) * delta / Math.sqrt(CLOCKS) + 1e-4;
        float[] expected = sumOfAll();
        for (float[] parameters : pushed(terms, loss)) {
            for (int i = 0; i < FLOATS; i++) {
                assertEquals(expected[i], parameters[i], bound, "element " + i);
            }
        }
    }
}
