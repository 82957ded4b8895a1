package io.sluice.filter;

import io.sluice.codecs.Block;
import io.sluice.codecs.BlockFormat;
import io.sluice.codecs.OffHeap;
import io.sluice.codecs.ValueType;
import io.sluice.filter.kernel.Kernels;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.Objects;

/**
 * Splits a slice at a given threshold and composes the block of the values above it. All filters share it, however they
 * choose the threshold.
 *
 * <p>For each element, with {@code v = residual + update} in f32: if {@code |v| > threshold}, v is sent, rounded to the
 * {@link ValueType}, and the rounding error becomes the residual; else v becomes the residual. So sent + residual = v
 * exactly, except for one more rounding of f32 where the two differ too much: v beyond 2<sup>29</sup> as F16, and LOG8
 * in a block whose magnitudes span more than 2<sup>200</sup>. Afterwards no residual is above the greater of the
 * threshold and the rounding error: none for F32; |v| / 256 for BF16, but all of v beyond {@link
 * io.sluice.filter.kernel.ThresholdKernel#GREATEST_BF16}; |v| / 2048 or 2<sup>-25</sup> for F16 up to its greatest
 * value of 65,504; for LOG8 what {@link io.sluice.codecs.LogScale} says.
 *
 * <p>A v that is NaN or infinite is sent, and the receiver refuses it. F16 and LOG8 cannot represent it: a {@link
 * NotFiniteException} is thrown, and the residual is undefined. For BF16 updates must be finite.
 *
 * <p>Bounds are checked here, once, and not again in the kernels. One per thread. Allocates nothing per slice.
 */
public final class SliceFilter {
    /** Elements of an array that are copied at a time: few enough to stay in the first-level cache. */
    private static final int CHUNK = 1_024;

    private final Kernels kernels;
    private final BlockComposer composer;
    private final MemorySegment chunk = OffHeap.allocate((long) CHUNK * Float.BYTES);
    private final boolean bf16;

    /**
     * Makes a filter.
     *
     * @param kernels to run
     * @param values type of the values sent
     */
    public SliceFilter(Kernels kernels, ValueType values) {
        this(kernels, values, BlockFormat.MAX_ELEMENTS);
    }

    /**
     * Makes a filter for slices up to a length, which determines its memory: about 16 bytes an element.
     *
     * @param kernels to run
     * @param values type of the values sent
     * @param maxElements of a slice, 1 to {@link BlockFormat#MAX_ELEMENTS}
     * @throws IllegalArgumentException if {@code maxElements} is out of range
     */
    public SliceFilter(Kernels kernels, ValueType values, int maxElements) {
        this.kernels = kernels;
        this.composer = new BlockComposer(kernels, values, maxElements);
        this.bf16 = values.plain() == ValueType.BF16;
    }

    /** Length of the longest slice. */
    int maxElements() {
        return composer.maxElements();
    }

    /** The type of the values sent, unless packing saves nothing. */
    public ValueType values() {
        return composer.values();
    }

    /**
     * Adds an update in native memory to the residual and sends the values above the threshold.
     *
     * @param update native segment of the update; not written
     * @param updateOffset of its first element, in bytes
     * @param residual native segment of the residual
     * @param residualOffset of its first element, in bytes
     * @param elements of the slice, 1 to {@link BlockFormat#MAX_ELEMENTS}
     * @param threshold 0 or more
     * @param out the room for the block, {@link BlockFormat#maxLength} bytes; describes the block afterwards
     * @throws NotFiniteException if a sum is NaN or infinite, which the value type cannot represent
     * @throws IndexOutOfBoundsException if a slice is not within its segment
     * @throws IllegalArgumentException if a segment is not native or {@code elements} is out of range
     */
    public void filter(
            MemorySegment update,
            long updateOffset,
            MemorySegment residual,
            long residualOffset,
            int elements,
            float threshold,
            Block out) {
        long u = OffHeap.address(update, updateOffset, elements, "update");
        long r = prepare(residual, residualOffset, elements, out);
        long values = composer.valuesAddress(out, elements);
        int count = kernels.split().filter(u, r, elements, threshold, bf16, composer.bitmapAddress(), values);
        composer.compose(out, elements, count, r);
        Reference.reachabilityFence(update);
        keepAlive(residual, out);
    }

    /**
     * Adds an update in an array to the residual and sends the values above the threshold.
     *
     * @param update not written
     * @param from index of its first element
     * @param residual native segment of the residual
     * @param residualOffset of its first element, in bytes
     * @param elements of the slice, 1 to {@link BlockFormat#MAX_ELEMENTS}
     * @param threshold 0 or more
     * @param out the room for the block, {@link BlockFormat#maxLength} bytes; describes the block afterwards
     * @throws NotFiniteException if a sum is NaN or infinite, which the value type cannot represent
     * @throws IndexOutOfBoundsException if a slice is not within its array or segment
     * @throws IllegalArgumentException if the segment is not native or {@code elements} is out of range
     */
    public void filter(
            float[] update,
            int from,
            MemorySegment residual,
            long residualOffset,
            int elements,
            float threshold,
            Block out) {
        Objects.checkFromIndexSize(from, elements, update.length);
        long r = prepare(residual, residualOffset, elements, out);
        long values = composer.valuesAddress(out, elements);
        int count = 0;
        for (int start = 0; start < elements; start += CHUNK) {
            int length = Math.min(CHUNK, elements - start);
            MemorySegment.copy(update, from + start, chunk, ValueLayout.JAVA_FLOAT, 0, length);
            count += kernels.split()
                    .filter(
                            chunk.address(),
                            r + (long) start * Float.BYTES,
                            length,
                            threshold,
                            bf16,
                            composer.bitmapAddress() + start / Byte.SIZE,
                            values + (long) count * Float.BYTES);
        }
        composer.compose(out, elements, count, r);
        keepAlive(residual, out);
    }

    /**
     * Sends the values above the threshold of a residual into which updates were summed directly.
     *
     * @param residual native segment of the residual
     * @param residualOffset of its first element, in bytes
     * @param elements of the slice, 1 to {@link BlockFormat#MAX_ELEMENTS}
     * @param threshold 0 or more
     * @param out the room for the block, {@link BlockFormat#maxLength} bytes; describes the block afterwards
     * @throws IndexOutOfBoundsException if the slice is not within its segment
     * @throws IllegalArgumentException if the segment is not native or {@code elements} is out of range
     */
    public void encodeResidual(MemorySegment residual, long residualOffset, int elements, float threshold, Block out) {
        long r = prepare(residual, residualOffset, elements, out);
        long values = composer.valuesAddress(out, elements);
        int count = kernels.split().filterResidual(r, elements, threshold, bf16, composer.bitmapAddress(), values);
        composer.compose(out, elements, count, r);
        keepAlive(residual, out);
    }

    /** Kernels hold addresses only: the memory must stay reachable until they are done. */
    private void keepAlive(MemorySegment residual, Block out) {
        Reference.reachabilityFence(residual);
        Reference.reachabilityFence(out);
        Reference.reachabilityFence(this);
    }

    private long prepare(MemorySegment residual, long residualOffset, int elements, Block out) {
        int room = BlockFormat.maxLength(elements);
        composer.requireRoomFor(elements);
        OffHeap.writableAddress(out.segment(), out.offset(), room / Float.BYTES, "the block");
        return OffHeap.writableAddress(residual, residualOffset, elements, "residual");
    }
}
