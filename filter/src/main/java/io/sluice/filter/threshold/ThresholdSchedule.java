package io.sluice.filter.threshold;

/**
 * How the threshold of the filter changes with the clock. Implementations are immutable and shared.
 *
 * <p>Round 0, in which replicas receive their initial values, must arrive in full: every schedule gives 0 there.
 * With a threshold of 0 the filter is exact: it sends every element that is not zero.
 */
public interface ThresholdSchedule {
    /**
     * The threshold at a clock.
     *
     * @param clock clock of a worker, or version of a server; 0 is the start of the replicas
     * @return finite, 0 or more; 0 at clock 0
     */
    float threshold(long clock);

    /** The name of this schedule in reports. */
    String name();

    /**
     * Checks a configured threshold.
     *
     * @param value value to check
     * @return the value
     * @throws IllegalArgumentException if it is negative, NaN, or not finite as an f32
     */
    static double requireThreshold(double value) {
        if (!(value >= 0 && value <= Float.MAX_VALUE)) {
            throw new IllegalArgumentException("delta must be a finite f32 of 0 or more: " + value);
        }
        return value;
    }
}
