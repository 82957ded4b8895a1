package io.sluice.perf.updates;

import java.io.Serializable;

/**
 * Updates of one table over a few clocks, which are repeated cyclically.
 *
 * <p>Nothing has to be restored between rounds: the residual continues as in training, and the filter leaves no element
 * in it above the threshold.
 */
public interface UpdateSource extends Serializable {
    /** Number of distinct clocks, 1 or more. */
    int clocks();

    /** The length of the longest table that this source can fill. */
    long maxElements();

    /**
     * The update of one clock, for elements {@code from} to {@code from + elements} of the table.
     *
     * @param clock clock from 0, below {@link #clocks}
     * @return a new array
     */
    float[] update(int clock, long from, int elements, double kept);

    /**
     * The threshold that this share of elements passes once the residual has settled.
     *
     * @return the threshold, 0 or more
     */
    float threshold(long elements, double kept);

    /** The name of the source: a word or a file name. */
    String label();
}
