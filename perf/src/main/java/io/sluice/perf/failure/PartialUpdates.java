package io.sluice.perf.failure;

import java.util.SplittableRandom;

/**
 * Updates that change only some blocks of a model, as in models that are trained in parts or have rare rows. The filter
 * keeps a fifth of the elements of a block; the others accumulate in residuals.
 */
final class PartialUpdates {
    /** The filter, with its threshold at clock 1. */
    static final String FILTER = "dvf:1";

    private static final int BLOCK = 1 << 10;
    private static final double KEPT = 0.2;
    private static final float SMALL = 0.0001f;

    private final float[] update;

    PartialUpdates(int params, double changed) {
        update = new float[params];
        SplittableRandom random = new SplittableRandom(params);
        for (int block = 0; block < params; block += BLOCK) {
            if (random.nextDouble() < changed) {
                fill(random, block, Math.min(params, block + BLOCK));
            }
        }
    }

    private void fill(SplittableRandom random, int begin, int end) {
        for (int i = begin; i < end; i++) {
            float magnitude = random.nextDouble() < KEPT ? 1.5f + random.nextFloat() : SMALL * random.nextFloat();
            update[i] = random.nextBoolean() ? magnitude : -magnitude;
        }
    }

    /** The update of every clock. */
    float[] update() {
        return update;
    }

    /** First parameters: noise without zero pages, which does not compress. */
    static void initial(String table, long start, float[] values) {
        SplittableRandom random = new SplittableRandom(start);
        for (int i = 0; i < values.length; i++) {
            values[i] = random.nextFloat() - 0.5f;
        }
    }
}
