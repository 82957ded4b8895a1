package io.sluice.filter;

import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.filter.kernel.Kernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Filters nothing: it sends every element, always as DENSE f32, and leaves a residual of 0. Push-pull uses it. */
public final class DenseFilter extends SummingFilter {
    /** A residual of zeros, with the length of the longest slice. */
    private final MemorySegment zeros =
            Arena.ofAuto().allocate((long) BlockFormat.MAX_ELEMENTS * Float.BYTES, Float.BYTES);

    /**
     * Creates a filter.
     *
     * @param kernels kernels to run
     */
    public DenseFilter(Kernels kernels) {
        super(kernels);
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
