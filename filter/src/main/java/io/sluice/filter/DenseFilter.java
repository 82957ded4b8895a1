package io.sluice.filter;

import static io.sluice.filter.Layout.f32;

import io.sluice.codecs.Block;
import io.sluice.codecs.BlockFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** No filter: every element goes out, always as DENSE, and nothing stays. What push-pull does. */
public final class DenseFilter implements UpdateFilter {
    private final Kernels kernels;

    /** The longest slice, empty. */
    private final MemorySegment zeros = Arena.ofAuto().allocate(f32(BlockFormat.MAX_ELEMENTS), Float.BYTES);

    /**
     * Makes a filter.
     *
     * @param kernels to run
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
        kernels.addDense(update, updateOffset, elements, residual, residualOffset);
        drain(residual, residualOffset, elements, clock, out);
    }

    @Override
    public void drain(MemorySegment residual, long residualOffset, int elements, long clock, Block out) {
        MemorySegment.copy(residual, residualOffset, out.segment(), out.offset(), f32(elements));
        MemorySegment.copy(zeros, 0, residual, residualOffset, f32(elements));
        out.set(BlockFormat.DENSE, elements, elements);
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
