package io.sluice.consistency.worker;

import java.util.List;
import java.util.SplittableRandom;

/**
 * Updates that are multiples of 1/256 below 64, so that sums of thousands of them are exact in f32 in any order: a lost
 * or duplicated update shows as a difference, not as noise.
 */
final class GridUpdates extends Updates {
    /** All values are multiples of this. */
    static final float STEP = 1f / 256;

    /** All magnitudes are below this. */
    static final float BOUND = 64;

    GridUpdates(long seed, List<Shape> shapes) {
        super(seed, shapes);
    }

    @Override
    float value(SplittableRandom random) {
        return random.nextInt(4) == 0 ? 0 : random.nextInt(-(1 << 14) + 1, 1 << 14) * STEP;
    }
}
