package io.sluice.consistency.wire;

import io.sluice.codecs.OffHeap;
import io.sluice.filter.kernel.Kernels;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The greatest magnitudes of parameters by slice, for an order that compares changes with them. Each is looked up again
 * in every 16th round, a sixteenth of the slices in each round, because it changes slowly and costs a read of the
 * slice.
 *
 * <p>For one thread. Allocates nothing after construction.
 */
public final class ParameterMagnitudes {
    private static final int EVERY = 16;
    private static final float UNKNOWN = -1;

    private final Kernels kernels;
    private final float[] found;

    /**
     * Prepares to look.
     *
     * @param kernels kernels to run
     * @param slices  number of slices
     */
    public ParameterMagnitudes(Kernels kernels, int slices) {
        this.kernels = kernels;
        this.found = new float[slices];
        Arrays.fill(found, UNKNOWN);
    }

    /**
     * The greatest magnitude in a slice, of this round or one of the 15 before it.
     *
     * @param slice      number of the slice
     * @param round      the round
     * @param parameters memory that holds the slice
     * @param offset     its first byte
     * @param elements   its number of floats
     */
    public float of(int slice, long round, MemorySegment parameters, long offset, int elements) {
        if (UNKNOWN == found[slice] || (round + slice) % EVERY == 0) {
            found[slice] =
                    kernels.values().maxAbs(OffHeap.address(parameters, offset, elements, "parameters"), elements);
        }
        return found[slice];
    }
}
