package io.sluice.filter;

import io.sluice.codecs.OffHeap;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.spi.SliceSplitter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.Objects;

/**
 * Splits slices with the kernels. It checks bounds once, and the kernels do not check them again. With BF16 a value
 * beyond {@link io.sluice.filter.kernel.ThresholdKernel#GREATEST_BF16} stays in the residual;
 * {@link io.sluice.codecs.LogScale} describes the rounding error of LOG8.
 */
public final class SliceFilter implements SliceSplitter {
    /** Number of elements of an array that are copied at a time: few enough to stay in the first-level cache. */
    private static final int CHUNK = 1_024;

    private final Kernels kernels;
    private final BlockComposer composer;
    private final MemorySegment chunk = OffHeap.allocate((long) CHUNK * Float.BYTES);
    private final boolean bf16;

    /**
     * Creates a filter of the shortest blocks.
     *
     * @param kernels kernels to run
     * @param values type of the values sent
     */
    public SliceFilter(Kernels kernels, ValueType values) {
        this(kernels, values, BlockFormat.MAX_ELEMENTS, 0);
    }

    /**
     * Creates a filter for slices up to a length, which determines its memory: about 16 bytes for each element.
     *
     * @param kernels kernels to run
     * @param values type of the values sent
     * @param maxElements elements of a slice, 1 to {@link BlockFormat#MAX_ELEMENTS}
     * @param linkRate rate of the links in bits per second, 0 if it is not known: for fast links the filter omits
     *                 encodings that take longer than they save on the link
     * @throws IllegalArgumentException if {@code maxElements} is out of range
     */
    public SliceFilter(Kernels kernels, ValueType values, int maxElements, long linkRate) {
        this.kernels = kernels;
        this.composer = new BlockComposer(kernels, values, maxElements, linkRate);
        this.bf16 = values.plain() == ValueType.BF16;
    }

    @Override
    public int maxElements() {
        return composer.maxElements();
    }

    @Override
    public ValueType values() {
        return composer.values();
    }

    @Override
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

    @Override
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

    @Override
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
