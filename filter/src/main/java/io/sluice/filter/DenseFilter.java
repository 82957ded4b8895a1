package io.sluice.filter;

import static io.sluice.filter.Layout.f32;

import io.sluice.codecs.Block;
import io.sluice.codecs.BlockFormat;
import java.lang.foreign.MemorySegment;

/**
 * No filter: every element goes out, always as DENSE. What push-pull does, and the yardstick for the others.
 *
 * <p>{@link #filter} neither reads nor writes the residual, which may be {@code null}. {@link #drain} empties it.
 */
public final class DenseFilter implements UpdateFilter {
    @Override
    public void filter(
            MemorySegment update,
            long updateOffset,
            MemorySegment residual,
            long residualOffset,
            int elements,
            long clock,
            Block out) {
        MemorySegment.copy(update, updateOffset, out.segment(), out.offset(), f32(elements));
        out.set(BlockFormat.DENSE, elements, elements);
    }

    @Override
    public void drain(MemorySegment residual, long residualOffset, int elements, long clock, Block out) {
        filter(residual, residualOffset, null, 0, elements, clock, out);
        for (int i = 0; i < elements; i++) {
            residual.set(Layout.F32, residualOffset + f32(i), 0.0f);
        }
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
