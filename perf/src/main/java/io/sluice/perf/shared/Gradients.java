package io.sluice.perf.shared;

import io.sluice.perf.updates.Distribution;
import java.util.SplittableRandom;

/**
 * Synthetic gradients. Their distribution is double exponential, like that of networks (SIDCo, Abdelmoniem et al.
 * 2021). They shrink with the square root of the clock, as Parameter Flow (section 3.3) assumes, so a threshold of
 * delta / sqrt(t) keeps a constant density once residuals have settled. For one thread.
 */
final class Gradients {
    private static final int POOL = 1 << 20;

    private final SplittableRandom random;
    private final float[] pool;
    private final float[] update;

    /**
     * Creates the gradients of one worker.
     *
     * @param seed different for each worker
     */
    Gradients(int elements, long seed) {
        random = new SplittableRandom(seed);
        pool = Distribution.LAPLACE.update(0, seed, POOL, 1);
        update = new float[elements];
    }

    /**
     * The next update: a section of the pool with a random start and sign.
     *
     * @param clock clock from 1
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
