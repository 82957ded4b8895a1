package io.sluice.filter.kernel;

import static io.sluice.filter.kernel.Memory.f32;
import static io.sluice.filter.kernel.Memory.u16;

/**
 * Adds the f32 values of a block to their elements; no other element is changed, not even from -0.0 to
 * 0.0. All memory is native; indices and counts must be valid.
 *
 * <p>Each method returns whether all sums that it has written are finite. The check is part of the pass.
 */
public interface AddKernel {
    /**
     * Adds a value to every element.
     *
     * @param values address of the first
     * @param elements 0 or more
     * @param target address of the first element
     * @return whether all sums are finite
     */
    boolean dense(long values, int elements, long target);

    /**
     * Adds a value from an array to every element.
     *
     * @param values array holding them
     * @param from index of the first
     * @param elements 0 or more
     * @param target address of the first element
     * @return whether all sums are finite
     */
    boolean dense(float[] values, int from, int elements, long target);

    /**
     * Adds to the elements whose bits are set.
     *
     * @param bitmap address of the first word
     * @param values address of the first value; none is read beyond the last
     * @param count number of values; exactly as many bits must be set
     * @param elements elements of the slice, 0 or more
     * @param target address of the first element
     * @return whether all sums are finite
     */
    boolean bitmap(long bitmap, long values, int count, int elements, long target);

    /**
     * Adds to the elements indexed.
     *
     * @param indices address of the first u16
     * @param values address of the first value
     * @param count number of values
     * @param target address of the first element
     * @return whether all sums are finite
     */
    boolean indices(long indices, long values, int count, long target);

    /**
     * Adds to the elements whose positions are given by deltas.
     *
     * @param deltas address of the first u16: elements skipped before each value
     * @param values address of the first value
     * @param count number of values
     * @param target address of the first element
     * @return whether all sums are finite
     */
    boolean deltas(long deltas, long values, int count, long target);

    /**
     * Adds to the elements of runs.
     *
     * @param deltas address of the first u16: elements between each boundary and the previous one, see {@link
     *     io.sluice.codecs.RunBoundaries}
     * @param boundaries boundaries of the runs
     * @param values address of the first value; none is read beyond the last
     * @param elements elements of the slice
     * @param target address of the first element
     * @return whether all sums are finite
     */
    default boolean runs(long deltas, int boundaries, long values, int elements, long target) {
        boolean finite = true;
        long value = values;
        int end = -1;
        for (int k = 0; k < boundaries; k += 2) {
            int begin = end + 1 + Memory.getShort(deltas + u16(k));
            end = k + 1 < boundaries ? begin + 1 + Memory.getShort(deltas + u16(k + 1)) : elements;
            finite &= dense(value, end - begin, target + f32(begin));
            value += f32(end - begin);
        }
        return finite;
    }
}
