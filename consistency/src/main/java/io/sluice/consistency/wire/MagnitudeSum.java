package io.sluice.consistency.wire;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.sluice.codecs.OffHeap;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.kernel.LevelsKernel;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * Adds up the magnitudes of values. The importance of a slice is the sum of its magnitudes, as that of a row in Boesen
 * (section 3.3.2): a slice in which many elements change a little can matter more than one in which one changes a lot.
 *
 * <p>For one thread. Allocates nothing after construction.
 */
final class MagnitudeSum {
    private static final int PARTS = 2 * LevelsKernel.SUMS;

    private final Kernels kernels;
    private final MemorySegment sums = OffHeap.allocate(3L * LevelsKernel.SUMS * Float.BYTES);

    MagnitudeSum(Kernels kernels) {
        this.kernels = kernels;
    }

    /**
     * The sum of magnitudes, the same for all kernels.
     *
     * @param values address of the first value; all values are finite
     * @param count number of values
     * @return a finite sum; the greatest float if it is greater
     */
    float of(long values, int count) {
        if (0 == count) {
            return 0;
        }
        kernels.levels().sums(values, count, Float.MAX_VALUE, 1, sums.address());
        double total = 0;
        for (int part = 0; part < PARTS; part++) { // one part for values of 0 or more, one for negative values
            total += sums.getAtIndex(JAVA_FLOAT, part);
        }
        Reference.reachabilityFence(this);
        return (float) Math.min(total, Float.MAX_VALUE);
    }
}
