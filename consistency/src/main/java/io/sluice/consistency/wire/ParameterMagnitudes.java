package io.sluice.consistency.wire;

import io.sluice.codecs.OffHeap;
import io.sluice.filter.kernel.Kernels;
import java.lang.foreign.MemorySegment;

/**
 * The sums of the magnitudes of parameters by slice, for an order that compares changes with them. Each is looked up
 * again after 16 rounds, because it changes slowly and costs a read of the slice. Slices take turns, because the second
 * look comes after 1 to 16 rounds.
 *
 * <p>For one thread. Allocates nothing after construction.
 */
public final class ParameterMagnitudes {
    private static final int EVERY = 16;

    private final MagnitudeSum sum;
    private final float[] found;

    /** By slice, the round from which it is looked up again; 0 if it was not looked up yet. */
    private final long[] due;

    /**
     * Prepares to look.
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
