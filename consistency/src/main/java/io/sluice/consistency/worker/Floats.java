package io.sluice.consistency.worker;

import io.sluice.filter.kernel.Kernels;

/** Runs kernels, which count in ints, over whole tables, which may be longer. */
final class Floats {
    private static final long STEP = 1 << 24;

    private Floats() {}

    /** Largest magnitude of so many values; not finite if any value is not. */
    static float maxAbs(Kernels kernels, Update values, long size) {
        float max = 0;
        for (long start = 0; start < size; start += STEP) {
            max = Math.max(max, values.maxAbs(kernels, start, (int) Math.min(STEP, size - start)));
        }
        return max; // Math.max hands a NaN on
    }
}
