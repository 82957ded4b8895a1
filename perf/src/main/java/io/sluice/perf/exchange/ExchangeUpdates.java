package io.sluice.perf.exchange;

import io.sluice.consistency.worker.Table;
import io.sluice.perf.cluster.Replica;
import java.util.SplittableRandom;

/**
 * The updates of a worker. A chosen share of the elements has magnitudes of 1.5 to 2.5 and passes a filter with a
 * threshold of at most 1. The other elements are below 0.0001; the filter holds them back. The sign of all changes with
 * each clock, so residuals and replicas stay bounded. All workers send the same updates, so the same number of elements
 * passes the server's filter.
 */
final class ExchangeUpdates {
    /**
     * Threshold of the filter at clock 1. It falls with the root of the clock, and reaches 0.0001 after 10^8 clocks.
     */
    static final double DELTA = 1.0;

    private final float[] plus;
    private final float[] minus;

    ExchangeUpdates(int floats, double kept) {
        plus = new float[floats];
        minus = new float[floats];
        SplittableRandom random = new SplittableRandom(floats);
        for (int i = 0; i < floats; i++) {
            // Multiples of 1/64 add up without rounding.
            float magnitude = random.nextDouble() < kept ? 1.5f + random.nextInt(65) / 64.0f : 0.0001f / (1 + i % 7);
            plus[i] = random.nextBoolean() ? magnitude : -magnitude;
            minus[i] = -plus[i];
        }
    }

    /** The update of a clock, counted from 1. */
    float[] ofClock(int clock) {
        return clock % 2 == 1 ? plus : minus;
    }

    /**
     * Refuses a replica that is not the sum of all updates. Signs change with each clock: after an even number of
     * clocks all is zero again.
     */
    void check(Table table, int clock, int workers) {
        Replica.require(table, i -> clock % 2 == 1 && Math.abs(plus[i]) > DELTA ? workers * plus[i] : 0);
    }
}
