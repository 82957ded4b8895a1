package io.sluice.perf.updates;

import java.io.Serializable;

/**
 * Updates of one table over a few clocks, which are gone through again and again.
 *
 * <p>Nothing has to be restored between rounds: the residual carries on as in training, and what the filter leaves in
 * it is never above the threshold.
 */
public interface UpdateSource extends Serializable {
    /** Distinct clocks, from 1. */
    int clocks();

    /** The longest table it can fill. */
    long maxElements();

    /**
     * The update of one clock, for elements {@code from} to {@code from + elements} of the table.
     *
     * @param clock clock from 0, below {@link #clocks}
     * @param from first element
     * @param elements how many
     * @param kept elements that is to pass the filter, for sources that depend on it
     * @return a new array
     */
    float[] update(int clock, long from, int elements, double kept);

    /**
     * The threshold that this share of elements passes once the residual has settled.
     *
     * @param elements elements of the table
     * @param kept wanted share, 0 to 1
     * @return the threshold, 0 or more
     */
    float threshold(long elements, double kept);

    /** The name of the source: a word or a file name. */
    String label();
}
