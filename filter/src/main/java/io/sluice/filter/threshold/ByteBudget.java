package io.sluice.filter.threshold;

import io.sluice.filter.spi.FilterSite;
import io.sluice.filter.spi.NetworkFeedback;

/**
 * Keeps as many elements as fit a number of bytes in each clock. It estimates the cost of an element (index, value and
 * share of the frame's header) by the average of the previous clock; the first clock assumes {@value #FIRST_GUESS}
 * bytes.
 *
 * <p>The budget is a node's for one direction. It pays for round commits first, and for the headers of one frame of
 * each table, since each table sends one element at least. The tables share the remainder by their sizes. Once a clock
 * it takes the network's budget, or the configured one if the network has none. It counts whole frames before
 * compression, each once, regardless of the number of links that carry it.
 *
 * <p>If the wanted number changes the cost, as with bitmaps, whose length is fixed, wanted and cost settle together:
 * with a fixed cost of a bytes and b bytes for each element, the error shrinks in each clock to the share that a has in
 * the budget.
 */
public final class ByteBudget implements DensityTarget {
    /** Assumed number of bytes per element before the first measurement. */
    private static final double FIRST_GUESS = 8;

    private final long configured;
    private final NetworkFeedback feedback;
    private final int frameBytes;
    private final long fixedBytes;
    private final double share;
    private final double elements;
    private double bytesPerKept = FIRST_GUESS;

    /**
     * Creates a target.
     *
     * @param configured bytes of the node's frames in a clock, if the network has no budget
     * @param feedback what is known about the network
     * @param elements elements of this table
     * @param node node whose tables share the budget
     */
    public ByteBudget(long configured, NetworkFeedback feedback, long elements, FilterSite.NodeTraffic node) {
        this.configured = configured;
        this.feedback = feedback;
        this.elements = elements;
        this.frameBytes = node.frameBytes();
        this.fixedBytes = node.commitBytes() + (long) node.tables() * frameBytes;
        this.share = elements / (double) node.elements();
    }

    @Override
    public double density(long clock) {
        long named = feedback.bytesPerClock();
        double bytes = share * ((named == NetworkFeedback.NO_BUDGET ? configured : named) - fixedBytes);
        return Math.max(bytes / bytesPerKept, 1) / elements;
    }

    @Override
    public void observe(long kept, long frames, long payload) {
        if (kept > 0) {
            bytesPerKept = ((frames - 1) * frameBytes + payload) / (double) kept;
        }
    }
}
