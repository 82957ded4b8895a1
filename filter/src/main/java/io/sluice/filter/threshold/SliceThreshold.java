package io.sluice.filter.threshold;

/**
 * Chooses the threshold of each slice of one table in one direction; it may adapt to the result. Used by one thread.
 *
 * <p>The slices of a clock arrive in any order, and the choice must not depend on the order: only on the slice itself
 * and on complete clocks. A new clock completes all earlier clocks.
 */
public interface SliceThreshold {
    /**
     * Chooses the threshold of a slice that is about to be filtered.
     *
     * @param slice about to be filtered
     * @param clock 1 or more, never decreasing
     * @return finite, 0 or more; with 0, every element that is not zero is sent
     */
    float choose(SliceValues slice, long clock);

    /**
     * Receives what the filter kept of the slice for which it last chose a threshold.
     *
     * @param elements elements of the slice
     * @param kept values in its block
     * @param bytes bytes of the block; 0 if nothing is sent
     */
    void observe(int elements, int kept, int bytes);
}
