package io.sluice.filter.spi;

import io.sluice.codecs.spi.Block;
import java.lang.foreign.MemorySegment;

/**
 * Splits the sums of one slice into values to send now and a residual for later.
 *
 * <p>The contract of every implementation except quantisers, for each element and f32 values: the value sent plus the
 * residual afterwards is exactly the f32 sum of residual and update before; and the residual is at most {@link
 * #threshold} in magnitude. (With a 16-bit value type, the rounding error of an emitted value also remains, in addition
 * to that bound.) At clock 0, in which replicas receive their initial values, every element that is not zero is
 * emitted. A sum of residual and update that is NaN or infinite is emitted, and the receiver that adds it refuses it;
 * or a {@link NotFiniteException} is thrown. The residual must not be used afterwards. For bfloat16 updates must be
 * finite.
 *
 * <p>A quantiser with feedback keeps the difference of sum and value sent as the residual, rounded to f32 once. One
 * without feedback sends values of which the expected value is the sum, and keeps nothing.
 *
 * <p>One instance per table and direction, used by one thread: implementations may adapt to the slices that they
 * filter. Clocks never decrease, and all slices of a clock precede those of the next, in any order. The offset in the
 * residual identifies a slice: it is the same at every clock, and slices do not overlap. Blocks depend only on the
 * slice and the data of earlier clocks, not on the order of slices or on time, so the same run gives the same bytes.
 *
 * <p>Residuals, updates in segments, and the memory for blocks are off-heap; offsets are in bytes. The memory at {@link
 * Block#wrap} must be {@link io.sluice.codecs.spi.BlockFormat#maxLength} bytes long. No call allocates.
 */
public interface UpdateFilter {
    /**
     * Adds an update to the residual and emits the values above the threshold.
     *
     * @param update segment of the update; not written
     * @param updateOffset offset of its first element
     * @param residual segment of the residual
     * @param residualOffset offset of its first element
     * @param elements elements of the slice, 1 to {@link io.sluice.codecs.spi.BlockFormat#MAX_ELEMENTS}
     * @param clock clock of the update
     * @param out memory for the block; describes the block afterwards. With a count of 0 there is nothing to send
     */
    void filter(
            MemorySegment update,
            long updateOffset,
            MemorySegment residual,
            long residualOffset,
            int elements,
            long clock,
            Block out);

    /**
     * Adds an update in an array to the residual and emits the values above the threshold.
     *
     * @param update array of the update; not written
     * @param updateIndex index of its first element
     * @param residual segment of the residual
     * @param residualOffset offset of its first element
     * @param elements elements of the slice, 1 to {@link io.sluice.codecs.spi.BlockFormat#MAX_ELEMENTS}
     * @param clock clock of the update
     * @param out memory for the block; describes the block afterwards. With a count of 0 there is nothing to send
     */
    void filter(
            float[] update,
            int updateIndex,
            MemorySegment residual,
            long residualOffset,
            int elements,
            long clock,
            Block out);

    /**
     * Emits the values above the threshold of a residual into which updates were summed directly.
     *
     * @param residual segment of the residual
     * @param residualOffset offset of its first element
     * @param elements elements of the slice, 1 to {@link io.sluice.codecs.spi.BlockFormat#MAX_ELEMENTS}
     * @param clock clock of the sum
     * @param out memory for the block; describes the block afterwards. With a count of 0 there is nothing to send
     */
    void encodeResidual(MemorySegment residual, long residualOffset, int elements, long clock, Block out);

    /** The policy's name in configuration and reports. */
    String name();

    /**
     * The bound on the residual: the largest threshold of the slices of a clock.
     *
     * @param clock clock filtered last; the thresholds of earlier clocks are not kept
     * @return magnitude, 0 or more; 0 if no slice was filtered in that clock
     */
    float threshold(long clock);
}
