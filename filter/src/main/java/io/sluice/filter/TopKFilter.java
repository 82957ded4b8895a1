package io.sluice.filter;

import io.sluice.codecs.spi.Block;
import io.sluice.filter.spi.SliceSplitter;
import io.sluice.filter.spi.UpdateFilter;
import io.sluice.filter.threshold.DensityTarget;
import io.sluice.filter.threshold.Selection;
import io.sluice.filter.threshold.SliceValues;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * Exact top-k: the k elements of largest magnitude of each slice are sent. It is the reference for all estimates. k is
 * the wanted density times the slice's elements, rounded down, but at least 1; fewer are sent only if fewer are not
 * zero. Of elements with equal magnitude at the limit, those with lower indices are sent, as with a stable sort.
 *
 * <p>A threshold cannot distinguish equal magnitudes. So the mechanism receives the magnitude just below the k-th, and
 * surplus elements equal to the k-th are hidden from it: their residuals are set to cancel the update, and restored
 * afterwards.
 *
 * <p>Bound: the magnitude of the k-th, {@link #threshold} being the largest over the slices.
 *
 * <p>Cost: a copy of the slice's sums and a selection (about three passes of it), on top of the filter: see {@code
 * sluice perf filter --policy topk:0.01}. Memory: 12 bytes for each element of the longest slice.
 */
public final class TopKFilter implements UpdateFilter {
    private final String name;
    private final DensityTarget target;
    private final SliceSplitter mechanism;
    private final SliceValues slice = new SliceValues();
    private final ClockBound bound = new ClockBound();
    private final float[] magnitudes;
    private final float[] selected;
    private final int[] hidden;
    private final float[] hiddenResiduals;
    private int hiddenCount;
    private long clock;
    private double density;

    /**
     * Creates a filter.
     *
     * @param name name of the policy, for reports
     * @param target density of each slice; receives no feedback
     * @param mechanism mechanism that splits slices, for this filter alone
     */
    public TopKFilter(String name, DensityTarget target, SliceSplitter mechanism) {
        this.name = name;
        this.target = target;
        this.mechanism = mechanism;
        magnitudes = new float[mechanism.maxElements()];
        selected = new float[mechanism.maxElements()];
        hidden = new int[mechanism.maxElements()];
        hiddenResiduals = selected; // reuses the array of the selection, which has finished before elements are hidden
    }

    @Override
    public void filter(
            MemorySegment update,
            long updateOffset,
            MemorySegment residual,
            long residualOffset,
            int elements,
            long at,
            Block out) {
        float threshold = choose(slice.of(update, updateOffset, residual, residualOffset, elements), at);
        try {
            mechanism.filter(update, updateOffset, residual, residualOffset, elements, threshold, out);
        } finally {
            uncover();
        }
        keepHidden();
        Reference.reachabilityFence(update); // the view of the slice holds only an address
    }

    @Override
    public void filter(
            float[] update,
            int updateIndex,
            MemorySegment residual,
            long residualOffset,
            int elements,
            long at,
            Block out) {
        float threshold = choose(slice.of(update, updateIndex, residual, residualOffset, elements), at);
        try {
            mechanism.filter(update, updateIndex, residual, residualOffset, elements, threshold, out);
        } finally {
            uncover();
        }
        keepHidden();
    }

    @Override
    public void encodeResidual(MemorySegment residual, long residualOffset, int elements, long at, Block out) {
        float threshold = choose(slice.of(residual, residualOffset, elements), at);
        try {
            mechanism.encodeResidual(residual, residualOffset, elements, threshold, out);
        } finally {
            uncover();
        }
        keepHidden();
    }

    private float choose(SliceValues values, long at) {
        hiddenCount = 0;
        float kth = 0;
        if (at >= 1) {
            if (at != clock) {
                clock = at;
                density = target.density(at);
            }
            kth = select(values);
        }
        bound.raise(at, kth);
        return kth > 0 ? Math.nextDown(kth) : 0;
    }

    /** Finds the magnitude of the k-th and hides surplus elements equal to it. */
    private float select(SliceValues values) {
        int elements = values.elements();
        int k = Math.clamp((long) (density * elements), 1, elements);
        for (int i = 0; i < elements; i++) {
            magnitudes[i] = Math.abs(values.value(i));
        }
        System.arraycopy(magnitudes, 0, selected, 0, elements);
        float kth = Selection.descending(selected, elements, k - 1);
        if (kth > 0) {
            hide(values, kth, k);
        }
        return kth;
    }

    private void hide(SliceValues values, float kth, int k) {
        int equals = k;
        for (int i = 0; i < values.elements(); i++) {
            equals -= magnitudes[i] > kth ? 1 : 0;
        }
        for (int i = 0; i < values.elements(); i++) {
            if (magnitudes[i] == kth && --equals < 0) {
                hidden[hiddenCount] = i;
                hiddenResiduals[hiddenCount] = values.residual(i);
                hiddenCount++;
                values.setResidual(i, -values.update(i));
            }
        }
    }

    /**
     * Restores the residuals of hidden elements. Also called if the mechanism threw, in which case it has not changed
     * the slice.
     */
    private void uncover() {
        for (int i = 0; i < hiddenCount; i++) {
            slice.setResidual(hidden[i], hiddenResiduals[i]);
        }
    }

    /** Adds the updates of hidden elements, which were not sent, to the residual. */
    private void keepHidden() {
        for (int i = 0; i < hiddenCount; i++) {
            slice.setResidual(hidden[i], slice.value(hidden[i]));
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public float threshold(long at) {
        return bound.of(at);
    }
}
