package io.sluice.consistency.worker;

import io.sluice.filter.Kernels;
import java.lang.foreign.MemorySegment;

/** Runs kernels, which count in ints, over whole tables, which may be longer. */
final class Floats {
    private static final long STEP = 1 << 24;

    private Floats() {}

    static boolean allFinite(Kernels kernels, MemorySegment values) {
        return Float.isFinite(maxAbs(kernels, values));
    }

    /** Largest magnitude; not finite if any value is not. */
    static float maxAbs(Kernels kernels, MemorySegment values) {
        long size = values.byteSize() / Float.BYTES;
        float max = 0;
        for (long start = 0; start < size; start += STEP) {
            max = Math.max(max, kernels.maxAbs(values, start * Float.BYTES, (int) Math.min(STEP, size - start)));
        }
        return max; // Math.max hands a NaN on
    }
}
