package io.sluice.consistency.wire;

import io.sluice.codecs.OffHeap;
import io.sluice.filter.kernel.Kernels;
import java.lang.foreign.MemorySegment;

/**
 * The sums of the magnitudes of parameters by slice, for an order that compares changes with them. Each sum is computed
 * again every 16 rounds, because it changes slowly and every computation reads the whole slice. The second computation
 * follows 1 to 16 rounds after the first, a different number for different slices, so that slices take turns.
 *
 * <p>For one thread. Allocates nothing after construction.
 */
public final class ParameterMagnitudes {
    private static final int EVERY = 16;

    private final MagnitudeSum sum;
    private final float[] found;

    /** For each slice, the round from which its sum is computed again; 0 before the first computation. */
    private final long[] due;

    /**
     * Creates the object; the first use of a slice computes its sum.
     *
     * @param kernels kernels to run
     * @param slices  number of slices
     */
    public ParameterMagnitudes(Kernels kernels, int slices) {
        this.sum = new MagnitudeSum(kernels);
        this.found = new float[slices];
        this.due = new long[slices];
    }

    /**
     * The sum of the magnitudes in a slice, as of this round or one of the previous 15 rounds.
     *
     * @param slice      number of the slice
     * @param round      the round
     * @param parameters memory that holds the slice
     * @param offset     its first byte
     * @param elements   its number of floats
     */
    public float of(int slice, long round, MemorySegment parameters, long offset, int elements) {
        if (round >= due[slice]) {
            long address = OffHeap.address(parameters, offset, elements, "parameters");
            found[slice] = sum.of(address, elements);
            due[slice] = 0 == due[slice] ? round + 1 + slice % EVERY : round + EVERY;
        }
        return found[slice];
    }
}
