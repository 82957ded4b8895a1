package io.sluice.perf.shared;

import java.util.SplittableRandom;

/**
 * Synthetic gradients: double exponential, as SIDCo (Abdelmoniem et al. 2021) finds those of networks to be, and
 * smaller with the square root of the clock, as Parameter Flow (section 3.3) takes steps to be. So a threshold of delta
 * / sqrt(t) passes the same share at all times, once residuals have settled. For one thread.
 */
final class Gradients {
    private static final int POOL = 1 << 20;

    private final SplittableRandom random;
    private final float[] pool;
    private final float[] update;

    /**
     * Of one worker.
     *
     * @param elements of the model
     * @param seed     that tells workers apart
     */
    Gradients(int elements, long seed) {
        random = new SplittableRandom(seed);
        pool = new float[POOL];
        for (int i = 0; i < POOL; i++) {
            double magnitude = random.nextExponential();
            pool[i] = (float) (random.nextBoolean() ? magnitude : -magnitude);
        }
        update = new float[elements];
    }

    /**
     * The next update: a stretch of the pool that begins anywhere, with either sign.
     *
     * @param clock from 1
     * @return the same array each time
     */
    float[] next(int clock) {
        float scale = (float) ((random.nextBoolean() ? 1 : -1) / Math.sqrt(clock));
        int from = random.nextInt(POOL);
        for (int i = 0; i < update.length; i++) {
            update[i] = scale * pool[(from + i) & (POOL - 1)];
        }
        return update;
    }
}
