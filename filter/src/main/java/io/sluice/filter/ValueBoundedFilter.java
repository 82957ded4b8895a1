package io.sluice.filter;

import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.spi.SliceSplitter;
import io.sluice.filter.spi.UpdateFilter;
import io.sluice.filter.threshold.ConstantThreshold;
import io.sluice.filter.threshold.ScheduledThreshold;
import io.sluice.filter.threshold.SliceThreshold;
import io.sluice.filter.threshold.SliceValues;
import io.sluice.filter.threshold.ThresholdSchedule;
import java.lang.foreign.MemorySegment;

/**
 * The value-bounded filter (section 3.3 of the Parameter Flow paper): an element is sent if and only if its magnitude
 * is above the threshold of its slice (equation 10), and remains in the residual otherwise (equation 6). The policy
 * chooses the threshold: by a schedule, an estimate for a wanted density, or the state of the network.
 *
 * <p>Bound: with delta the largest threshold of the clock, {@link #threshold}, and d the elements of the table, the
 * residual is at most delta in each element and so at most {@code delta * sqrt(d)} in the 2-norm (equations 9 and 10).
 */
public final class ValueBoundedFilter implements UpdateFilter {
    private final String name;
    private final SliceThreshold chooser;
    private final SliceSplitter mechanism;
    private final SliceValues slice = new SliceValues();
    private final ClockBound bound = new ClockBound();

    /**
     * Creates a filter.
     *
     * @param name name of the policy, for reports
     * @param chooser chooser of the thresholds, for this filter alone
     * @param mechanism mechanism that splits slices, for this filter alone
     */
    public ValueBoundedFilter(String name, SliceThreshold chooser, SliceSplitter mechanism) {
        this.name = name;
        this.chooser = chooser;
        this.mechanism = mechanism;
    }

    /**
     * Creates the dynamic value-bounded filter of the paper, with f32 values.
     *
     * @param schedule schedule of the threshold
     * @param kernels kernels to run
     */
    public ValueBoundedFilter(ThresholdSchedule schedule, Kernels kernels) {
        this("dvf", new ScheduledThreshold(schedule), new SliceFilter(kernels, ValueType.F32));
    }

    /**
     * Creates a filter that sends all elements that are not zero, as f32: for initial values, and as a reference for
     * other filters.
     *
     * @param kernels kernels to run
     * @return a filter for one thread
     */
    public static ValueBoundedFilter exact(Kernels kernels) {
        return new ValueBoundedFilter(new ConstantThreshold(0), kernels);
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
        float threshold = choose(slice.of(update, updateOffset, residual, residualOffset, elements), clock);
        mechanism.filter(update, updateOffset, residual, residualOffset, elements, threshold, out);
        observe(clock, out);
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
        float threshold = choose(slice.of(update, updateIndex, residual, residualOffset, elements), clock);
        mechanism.filter(update, updateIndex, residual, residualOffset, elements, threshold, out);
        observe(clock, out);
    }

    @Override
    public void encodeResidual(MemorySegment residual, long residualOffset, int elements, long clock, Block out) {
        float threshold = choose(slice.of(residual, residualOffset, elements), clock);
        mechanism.encodeResidual(residual, residualOffset, elements, threshold, out);
        observe(clock, out);
    }

    private float choose(SliceValues values, long clock) {
        // Initial values must arrive in full, and are not representative of later updates.
        float threshold = clock < 1 ? 0.0f : chooser.choose(values, clock);
        bound.raise(clock, threshold);
        return threshold;
    }

    private void observe(long clock, Block out) {
        if (clock >= 1) {
            chooser.observe(out.elements(), out.count(), out.length());
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public float threshold(long clock) {
        return bound.of(clock);
    }
}
