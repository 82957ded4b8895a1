package io.sluice.filter.threshold;

/** Which share of a table's elements is to be kept, clock by clock. For one table and direction, used by one thread. */
public interface DensityTarget {
    /**
     * The share wanted; asked once, when a clock begins.
     *
     * @param clock 1 or more
     * @return above 0; from 1 on nothing is held back
     */
    double density(long clock);

    /**
     * Learns what a complete clock came to.
     *
     * @param kept values sent
     * @param frames that carried them
     * @param payload bytes of those frames behind their headers, before compression
     */
    void observe(long kept, long frames, long payload);
}
