package io.sluice.filter;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import io.sluice.codecs.spi.Block;
import io.sluice.filter.spi.UpdateFilter;
import java.lang.foreign.MemorySegment;

/**
 * Decays the residual: multiplies it by a factor B in each clock before the update is added, so value sent plus
 * residual is B residual + update (SparseLoCo, Sarfi et al. 2025, algorithm 1). It replaces the outer momentum of
 * trainers that push after many steps. The removed part is lost; a residual without an update keeps its value.
 *
 * <p>Cost: a pass of its own over the residual.
 */
public final class DecayedFilter implements UpdateFilter {
    private final UpdateFilter filter;
    private final float factor;

    /**
     * Creates a filter.
     *
     * @param filter filter that splits what remains, for this filter alone
     * @param factor factor from 0 to 1
     */
    public DecayedFilter(UpdateFilter filter, float factor) {
        if (!(factor >= 0 && factor <= 1)) {
            throw new IllegalArgumentException("the factor of the residual is " + factor + ", expected 0 to 1");
        }
        this.filter = filter;
        this.factor = factor;
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
        decay(residual, residualOffset, elements);
        filter.filter(update, updateOffset, residual, residualOffset, elements, clock, out);
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
        decay(residual, residualOffset, elements);
        filter.filter(update, updateIndex, residual, residualOffset, elements, clock, out);
    }

    private void decay(MemorySegment residual, long offset, int elements) {
        for (int i = 0; i < elements; i++) {
            long at = offset + (long) i * Float.BYTES;
            residual.set(JAVA_FLOAT_UNALIGNED, at, factor * residual.get(JAVA_FLOAT_UNALIGNED, at));
        }
    }

    @Override
    public void encodeResidual(MemorySegment residual, long residualOffset, int elements, long clock, Block out) {
        filter.encodeResidual(residual, residualOffset, elements, clock, out);
    }

    @Override
    public String name() {
        return filter.name();
    }

    @Override
    public float threshold(long clock) {
        return filter.threshold(clock);
    }
}
