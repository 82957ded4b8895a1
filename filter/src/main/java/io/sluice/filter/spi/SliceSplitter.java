package io.sluice.filter.spi;

import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import java.lang.foreign.MemorySegment;

/**
 * Splits a slice at a given threshold and composes the block of the values above it. All filters share it, regardless
 * of how they choose the threshold.
 *
 * <p>For each element, with {@code v = residual + update} in f32: if {@code |v| > threshold}, v is sent, rounded to the
 * {@link ValueType}, and the rounding error becomes the residual; otherwise v becomes the residual. So sent + residual
 * = v exactly, except for one more rounding of f32 where the two differ too much: v beyond 2<sup>29</sup> as F16, and
 * LOG8 in a block whose magnitudes span more than 2<sup>200</sup>. Afterwards no residual is above the greater of the
 * threshold and the rounding error: none for F32; |v| / 256 for BF16, but all of v beyond the greatest finite bfloat16;
 * |v| / 2048 or 2<sup>-25</sup> for F16 up to its greatest value of 65,504; for LOG8 about 2 % of |v| where the
 * magnitudes of a block span a factor of a hundred.
 *
 * <p>A v that is NaN or infinite is sent, and the receiver refuses it. F16 and LOG8 cannot represent it: a {@link
 * NotFiniteException} is thrown, and the residual is undefined. For BF16 updates must be finite.
 *
 * <p>One per thread. Allocates nothing per slice.
 */
public interface SliceSplitter {
    /** The type of the values sent, unless packing saves nothing. */
    ValueType values();

    /** Length of the longest slice. */
    int maxElements();

    /**
     * Adds an update in native memory to the residual and sends the values above the threshold.
     *
     * @param update native segment of the update; not written
     * @param updateOffset offset of its first element, in bytes
     * @param residual native segment of the residual
     * @param residualOffset offset of its first element, in bytes
     * @param elements elements of the slice, 1 to {@link BlockFormat#MAX_ELEMENTS}
     * @param threshold 0 or more
     * @param out memory for the block, {@link BlockFormat#maxLength} bytes; describes the block afterwards
     * @throws NotFiniteException if a sum is NaN or infinite, which the value type cannot represent
     * @throws IndexOutOfBoundsException if a slice is not within its segment
     * @throws IllegalArgumentException if a segment is not native or {@code elements} is out of range
     */
    void filter(
            MemorySegment update,
            long updateOffset,
            MemorySegment residual,
            long residualOffset,
            int elements,
            float threshold,
            Block out);

    /**
     * Adds an update in an array to the residual and sends the values above the threshold.
     *
     * @param update array with the update; not changed
     * @param from index of its first element
     * @param residual native segment of the residual
     * @param residualOffset offset of its first element, in bytes
     * @param elements elements of the slice, 1 to {@link BlockFormat#MAX_ELEMENTS}
     * @param threshold 0 or more
     * @param out memory for the block, {@link BlockFormat#maxLength} bytes; describes the block afterwards
     * @throws NotFiniteException if a sum is NaN or infinite, which the value type cannot represent
     * @throws IndexOutOfBoundsException if a slice is not within its array or segment
     * @throws IllegalArgumentException if the segment is not native or {@code elements} is out of range
     */
    void filter(
            float[] update,
            int from,
            MemorySegment residual,
            long residualOffset,
            int elements,
            float threshold,
            Block out);

    /**
     * Sends the values above the threshold of a residual into which updates were summed directly.
     *
     * @param residual native segment of the residual
     * @param residualOffset offset of its first element, in bytes
     * @param elements elements of the slice, 1 to {@link BlockFormat#MAX_ELEMENTS}
     * @param threshold 0 or more
     * @param out memory for the block, {@link BlockFormat#maxLength} bytes; describes the block afterwards
     * @throws IndexOutOfBoundsException if the slice is not within its segment
     * @throws IllegalArgumentException if the segment is not native or {@code elements} is out of range
     */
    void encodeResidual(MemorySegment residual, long residualOffset, int elements, float threshold, Block out);
}
