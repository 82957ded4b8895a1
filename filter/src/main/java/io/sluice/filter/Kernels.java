package io.sluice.filter;

import java.lang.foreign.MemorySegment;

/**
 * The loops over the elements of a slice. All values are f32, all columns are as in
 * {@link io.sluice.codecs.BlockFormat}; offsets are in bytes and need no alignment.
 *
 * <p>Segments may be native or, for inputs and targets that live there, wrap a {@code float[]}. A kernel reads and
 * writes exactly the elements it is told of, and no more than the segment's own bounds are checked: lengths, counts
 * and columns must be known to be sound ({@link io.sluice.codecs.BlockValidator}). Kernels hold no state and allocate
 * nothing once compiled.
 *
 * <p><b>Twins.</b> All implementations give the same bits for the same input, whatever it is: infinities, signed zeros,
 * denormals and NaN included. One thing is left open, by the Java language and by the processors alike: the sum of
 * <em>two</em> NaNs is a NaN with the payload of either. (The same Java addition picks one when interpreted and may
 * pick the other when compiled.) A NaN is never above a threshold, so it is never sent and stays in the residual for
 * good: whoever accepts updates refuses them first, see {@link #allFinite}.
 */
public interface Kernels {
    /** System property that chooses the implementation: {@code vector}, {@code scalar}, or {@code auto}. */
    String PROPERTY = "sluice.kernels";

    /**
     * The fastest kernels this JVM can run: on the Vector API if the module {@code jdk.incubator.vector} is there,
     * else in plain Java. The system property {@link #PROPERTY} overrides the choice. Callers report {@link #name()}.
     *
     * @return the kernels
     * @throws IllegalArgumentException if the property has another value
     * @throws IllegalStateException if it asks for {@code vector} and the module is missing
     */
    static Kernels preferred() {
        boolean present = ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();
        String wanted = System.getProperty(PROPERTY, "auto");
        return switch (wanted) {
            case "auto" -> present ? new VectorKernels() : new ScalarKernels();
            case "scalar" -> new ScalarKernels();
            case "vector" -> {
                if (!present) {
                    throw new IllegalStateException(
                            PROPERTY + "=vector needs the JVM option --add-modules=jdk.incubator.vector");
                }
                yield new VectorKernels();
            }
            default -> throw new IllegalArgumentException(PROPERTY + " must be auto, vector or scalar: " + wanted);
        };
    }

    /** What these kernels are, for reports: {@code "scalar"}, or {@code "vector"} and the lanes used. */
    String name();

    /**
     * One step of the filter in one pass (equations 6 and 10): {@code v = residual + update}; where {@code |v| >
     * threshold}, v is appended to the values, its bit set in the bitmap, and the residual becomes 0; elsewhere the
     * residual becomes v. All {@code ceil(elements / 64)} words of the bitmap are written.
     *
     * @param update segment of the update; not written
     * @param updateOffset of its first element
     * @param residual segment of the residual; read and written
     * @param residualOffset of its first element
     * @param elements 0 or more
     * @param threshold 0 or more
     * @param block segment for the columns; must not overlap update or residual
     * @param bitmapOffset of the first bitmap word
     * @param valuesOffset of the first value; all of {@code elements} values from there are scratch space
     * @return number of values kept
     */
    int filter(
            MemorySegment update,
            long updateOffset,
            MemorySegment residual,
            long residualOffset,
            int elements,
            float threshold,
            MemorySegment block,
            long bitmapOffset,
            long valuesOffset);

    /**
     * {@link #filter} with no update to add: {@code v = residual}. A server sums what is pushed right into the
     * residual and drains it.
     *
     * @param residual segment of the residual; read and written
     * @param residualOffset of its first element
     * @param elements 0 or more
     * @param threshold 0 or more
     * @param block segment for the columns; must not overlap the residual
     * @param bitmapOffset of the first bitmap word
     * @param valuesOffset of the first value; all of {@code elements} values from there are scratch space
     * @return number of values kept
     */
    int drain(
            MemorySegment residual,
            long residualOffset,
            int elements,
            float threshold,
            MemorySegment block,
            long bitmapOffset,
            long valuesOffset);

    /**
     * Adds a value to every element: {@code target[i] += values[i]}.
     *
     * @param block segment of the values
     * @param valuesOffset of the first value
     * @param elements 0 or more
     * @param target segment to add to
     * @param targetOffset of its first element
     */
    void addDense(MemorySegment block, long valuesOffset, int elements, MemorySegment target, long targetOffset);

    /**
     * Adds the values to the elements whose bits are set; no other element is changed, not even from -0.0 to 0.0.
     *
     * @param block segment of the columns
     * @param bitmapOffset of the first bitmap word
     * @param valuesOffset of the first value
     * @param count of values; exactly as many bits must be set
     * @param elements of the slice, 0 or more
     * @param target segment to add to
     * @param targetOffset of its first element
     */
    void addBitmap(
            MemorySegment block,
            long bitmapOffset,
            long valuesOffset,
            int count,
            int elements,
            MemorySegment target,
            long targetOffset);

    /**
     * Adds the values to the elements indexed: {@code target[indices[k]] += values[k]}.
     *
     * @param block segment of the columns
     * @param indexOffset of the first index
     * @param valuesOffset of the first value
     * @param count of values
     * @param target segment to add to
     * @param targetOffset of its first element
     */
    void addIndex(
            MemorySegment block,
            long indexOffset,
            long valuesOffset,
            int count,
            MemorySegment target,
            long targetOffset);

    /**
     * Spreads compacted values to their places, with 0 elsewhere: from the columns of a bitmap block to a dense one.
     * The output may overlap the values if it begins at least 4 bytes before them for every bit that is not set.
     *
     * @param bitmap segment of the bitmap
     * @param bitmapOffset of the first bitmap word
     * @param block segment of the values and of the output
     * @param valuesOffset of the first value
     * @param count of values; exactly as many bits must be set
     * @param elements of the slice, 0 or more
     * @param denseOffset of the first element of the output
     */
    void expand(
            MemorySegment bitmap,
            long bitmapOffset,
            MemorySegment block,
            long valuesOffset,
            int count,
            int elements,
            long denseOffset);

    /**
     * The largest magnitude. Magnitudes are compared as bit patterns without the sign, in which a NaN is larger than
     * infinity; so the result is a NaN if there is any.
     *
     * @param values segment
     * @param offset of the first element
     * @param count 0 or more
     * @return the largest magnitude, 0 for no elements
     */
    float maxAbs(MemorySegment values, long offset, int count);

    /**
     * Whether there is neither a NaN nor an infinity.
     *
     * @param values segment
     * @param offset of the first element
     * @param count 0 or more
     */
    default boolean allFinite(MemorySegment values, long offset, int count) {
        return Float.isFinite(maxAbs(values, offset, count));
    }
}
