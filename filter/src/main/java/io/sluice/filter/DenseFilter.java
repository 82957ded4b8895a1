package io.sluice.filter;

import io.sluice.codecs.OffHeap;
import io.sluice.codecs.api.Block;
import io.sluice.codecs.api.BlockFormat;
import io.sluice.codecs.api.ValueType;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.spi.NotFiniteException;
import io.sluice.filter.spi.UpdateFilter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.Objects;

/** Filters nothing: it sends every element, always as DENSE f32, and leaves a residual of 0. Push-pull uses it. */
public final class DenseFilter implements UpdateFilter {
    private final Kernels kernels;

    /** A residual of zeros, as long as the longest slice. */
    private final MemorySegment zeros =
            Arena.ofAuto().allocate((long) BlockFormat.MAX_ELEMENTS * Float.BYTES, Float.BYTES);

    /**
     * Makes a filter.
     *
     * @param kernels kernels to run
     */
    public DenseFilter(Kernels kernels) {
        this.kernels = kernels;
    }

    @Override
    public void filter(
            MemorySegment update,
            long updateOffset,
            MemorySegment residual,
            long residualOffset,
            int elements,
            long clock,
            Block out) {
        long from = OffHeap.address(update, updateOffset, elements, "update");
        long to = OffHeap.writableAddress(residual, residualOffset, elements, "residual");
        if (!kernels.add().dense(from, elements, to)) {
            throw NotFiniteException.in(
                    residual,
                    residualOffset,
                    elements,
                    i -> update.get(ValueLayout.JAVA_FLOAT_UNALIGNED, updateOffset + 4L * i));
        }
        Reference.reachabilityFence(update);
        encodeResidual(residual, residualOffset, elements, clock, out);
    }

    @Override
    public void filter(
            float[] update,
            int updateIndex,
            MemorySegment residual,
            long residualOffset,
            int elements,
            long clock,
            Block out) {
        Objects.checkFromIndexSize(updateIndex, elements, update.length);
        long to = OffHeap.writableAddress(residual, residualOffset, elements, "residual");
        if (!kernels.add().dense(update, updateIndex, elements, to)) {
            throw NotFiniteException.in(residual, residualOffset, elements, i -> update[updateIndex + i]);
        }
        encodeResidual(residual, residualOffset, elements, clock, out);
    }

    @Override
    public void encodeResidual(MemorySegment residual, long residualOffset, int elements, long clock, Block out) {
        long bytes = (long) elements * Float.BYTES;
        MemorySegment.copy(residual, residualOffset, out.segment(), out.offset(), bytes);
        MemorySegment.copy(zeros, 0, residual, residualOffset, bytes);
        out.set(BlockFormat.DENSE, ValueType.F32, elements, elements, (int) bytes);
    }

    @Override
    public String name() {
        return "dense";
    }

    @Override
    public float threshold(long clock) {
        return 0.0f;
    }
}
