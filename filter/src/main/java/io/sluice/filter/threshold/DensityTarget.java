package io.sluice.filter.threshold;

/** The share of a table's elements to keep in each clock. For one table and direction, used by one thread. */
public interface DensityTarget {
    /**
     * The wanted share of elements; called once, at the start of a clock.
     *
     * @param clock 1 or more
     * @return above 0; 1 or more holds nothing back
     */
    double density(long clock);

    /**
     * Reports the result of a complete clock.
     *
     * @param kept values sent
     * @param frames frames that carried them
     * @param payload bytes of those frames behind their headers, before compression
     */
    void observe(long kept, long frames, long payload);
}
