package io.sluice.perf.updates;

import java.util.Arrays;

/**
 * Finds the threshold that a given share of elements passes in the long run. The residual accumulates, so more elements
 * pass than exceed the threshold in a single update. The search runs the filter over a sample, and halves the interval
 * of thresholds until the shares agree.
 */
final class SteadyThreshold {
    /** Minimum number of clocks before any is counted. */
    private static final int SETTLE = 4;

    private SteadyThreshold() {}

    /**
     * Finds the lowest threshold that at most a share of the updates' elements passes.
     *
     * @param updates updates of each clock, of the same elements
     * @param kept share of the elements that may pass the threshold
     * @return the threshold; above all magnitudes for a share of 0
     */
    static float of(float[][] updates, double kept) {
        if (kept >= 1) {
            return 0;
        }
        // The bits of floats from 0 to infinity are ordered as the floats are.
        int passesTooMany = -1;
        int passesFewEnough = Float.floatToIntBits(Float.MAX_VALUE);
        while (passesFewEnough - passesTooMany > 1) {
            int middle = passesTooMany + (passesFewEnough - passesTooMany) / 2;
            if (share(updates, Float.intBitsToFloat(middle)) > kept) {
                passesTooMany = middle;
            } else {
                passesFewEnough = middle;
            }
        }
        return Float.intBitsToFloat(passesFewEnough);
    }

    /**
     * The share of elements that passes a threshold, over whole rounds of the clocks after the residual has settled.
     */
    static double share(float[][] updates, float threshold) {
        float[] residual = new float[updates[0].length];
        int settling = roundUp(SETTLE, updates.length);
        for (int clock = 0; clock < settling; clock++) {
            pass(updates[clock % updates.length], residual, threshold);
        }
        long passed = 0;
        int counting = roundUp(SETTLE, updates.length);
        for (int clock = 0; clock < counting; clock++) {
            passed += pass(updates[clock % updates.length], residual, threshold);
        }
        return (double) passed / counting / residual.length;
    }

    private static int pass(float[] update, float[] residual, float threshold) {
        int passed = 0;
        for (int i = 0; i < residual.length; i++) {
            float v = residual[i] + update[i];
            boolean passes = Math.abs(v) > threshold;
            passed += passes ? 1 : 0;
            residual[i] = passes ? 0 : v;
        }
        return passed;
    }

    private static int roundUp(int count, int unit) {
        return (count + unit - 1) / unit * unit;
    }

    /** Every n-th element of each clock, so that at most a number of elements remain. */
    static float[][] thinned(float[][] updates, int most) {
        int step = (updates[0].length + most - 1) / most;
        return Arrays.stream(updates)
                .map(update -> {
                    float[] sample = new float[(update.length + step - 1) / step];
                    for (int i = 0; i < sample.length; i++) {
                        sample[i] = update[i * step];
                    }
                    return sample;
                })
                .toArray(float[][]::new);
    }
}
