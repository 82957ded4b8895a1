package io.sluice.perf.updates;

import java.io.Serializable;

/**
 * A table of updates and its density.
 *
 * @param elements number of elements of the table, a multiple of {@value #UNIT}
 * @param kept share of elements wanted above the threshold, 0 to 1
 * @param repeating whether each clock has the first update
 */
public record TableShape(
        UpdateSource source, long elements, double kept, float threshold, int threads, boolean repeating)
        implements Serializable {
    /** Number of elements of one slice, the longest whose dense frame is one datagram of 64 KiB. */
    public static final int SLICE = 16_320;

    /** Number of elements in a bitmap word: tables have whole words. */
    public static final int UNIT = 64;

    /**
     * Finds the threshold for a table, whose length is rounded down to a multiple of {@link #UNIT} per thread.
     *
     * @throws IllegalArgumentException if a thread would have no elements, or more than an array can hold
     */
    public static TableShape of(UpdateSource source, long elements, double kept, int threads) {
        long whole = elements / ((long) UNIT * threads) * UNIT * threads;
        if (whole == 0 || whole / threads > Integer.MAX_VALUE - UNIT) {
            throw new IllegalArgumentException("a table of " + elements + " elements for " + threads
                    + " threads: expected " + UNIT + " to 2^31 for each");
        }
        return new TableShape(source, whole, kept, source.threshold(whole, kept), threads, false);
    }

    /** The beginning of this table, with the same threshold. */
    public TableShape shortened(long atMost) {
        long whole = Math.min(elements, atMost / ((long) UNIT * threads) * UNIT * threads);
        return new TableShape(source, whole, kept, threshold, threads, repeating);
    }

    /** This table with the first update in each clock. */
    public TableShape repeated() {
        return new TableShape(source, elements, kept, threshold, threads, true);
    }

    /** Number of distinct clocks. */
    public int clocks() {
        return repeating ? 1 : source.clocks();
    }

    /** Number of elements of one thread's part. */
    public int part() {
        return (int) (elements / threads);
    }

    /** Number of slices of one thread's part; the last may be shorter. */
    public int slices() {
        return (part() + SLICE - 1) / SLICE;
    }

    /** Number of elements of a slice of any part. */
    public int sliceElements(int slice) {
        return Math.min(SLICE, part() - slice * SLICE);
    }

    /** The update of a clock for one thread's part. */
    public float[] update(int clock, int thread) {
        return source.update(clock, (long) thread * part(), part(), kept);
    }

    /** Size of all updates and the residual, in bytes. */
    public long memory() {
        return (clocks() + 1) * elements * Float.BYTES;
    }
}
