package io.sluice.filter;

import io.sluice.codecs.OffHeap;
import io.sluice.codecs.spi.Block;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.spi.NotFiniteException;
import io.sluice.filter.spi.UpdateFilter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.Objects;

/** A filter that first adds the update to the residual, and then chooses what to send by the sums. */
abstract class SummingFilter implements UpdateFilter {
    final Kernels kernels;

    SummingFilter(Kernels kernels) {
        this.kernels = kernels;
    }

    @Override
    public final void filter(
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
    public final void filter(
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
}
