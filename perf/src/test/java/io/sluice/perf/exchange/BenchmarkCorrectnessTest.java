package io.sluice.perf.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The exchange against a sum done in a loop. */
final class BenchmarkCorrectnessTest {
    private static final int FLOATS = 40_000;

    @ParameterizedTest
    @CsvSource({"1,1", "2,0.2"})
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void replicasHoldTheSumOfWhatPassed(int workers, double kept) throws Exception {
        ExchangeSettings settings = new ExchangeSettings(workers, FLOATS, kept, 4, 7);
        ExchangeReport report = new Exchange(settings).run();
        ExchangeUpdates updates = new ExchangeUpdates(FLOATS, kept);
        assertEquals(workers, report.replicas().size());
        for (float[] replica : report.replicas()) {
            for (int i = 0; i < FLOATS; i++) {
                assertEquals(updates.expected(i, workers), replica[i], "element " + i);
            }
        }
        assertEquals(kept, report.keptShare(), 0.01);
        assertEquals(workers * 7, report.clockNs().getTotalCount());
        double values = report.keptShare() * FLOATS * Float.BYTES;
        assertTrue(report.pushedBytes() > values && report.pushedBytes() < 1.3 * values, "" + report.pushedBytes());
        assertEquals(report.pushedBytes(), report.broadcastBytes(), 0.2 * values);
    }
}
