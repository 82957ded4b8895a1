package io.sluice.messaging.bandwidth;

/**
 * The search for the available bandwidth by fleets of streams (Jain and Dovrolis 2003, section IV, "rate
 * adjustment algorithm"): bisection between a rate known to be below the available bandwidth and one known to be above,
 * with a grey region in which the available bandwidth varied; it ends when the interval between the bounds is no wider
 * than the resolution.
 *
 * <p>The first upper bound is a guess. If the search ends there, the bound is doubled, up to the ceiling.
 */
final class RateSearch {
    private final double resolution;
    private double ceiling;
    private double low;
    private double high;
    private boolean highSeen;
    private double greyLow = Double.NaN;
    private double greyHigh = Double.NaN;

    /**
     * Begins a search. All rates have the same unit.
     *
     * @param guess      upper bound to begin with
     * @param ceiling    maximum rate of a fleet
     * @param resolution share of the upper bound that may be left uncertain, for instance 0.1
     */
    RateSearch(double guess, double ceiling, double resolution) {
        this.high = Math.min(guess, ceiling);
        this.ceiling = ceiling;
        this.resolution = resolution;
    }

    /** Whether the search has ended. */
    boolean isDone() {
        return isNarrow(low, lowerOpenEnd()) && isNarrow(upperOpenEnd(), high);
    }

    private boolean isNarrow(double from, double to) {
        return to - from <= resolution * high;
    }

    private double lowerOpenEnd() {
        return Double.isNaN(greyLow) ? high : greyLow;
    }

    private double upperOpenEnd() {
        return Double.isNaN(greyHigh) ? low : greyHigh;
    }

    /** The rate of the next fleet. */
    double next() {
        return isNarrow(upperOpenEnd(), high) ? (low + lowerOpenEnd()) / 2 : (upperOpenEnd() + high) / 2;
    }

    /** Handles the verdict of a fleet at the rate of {@link #next()}. */
    void settle(double rate, Fleet.Verdict verdict) {
        switch (verdict) {
            case ABOVE -> {
                high = rate;
                highSeen = true;
                forgetGrey(greyLow >= rate);
            }
            case BELOW -> {
                low = rate;
                forgetGrey(greyHigh <= rate);
            }
            default -> {
                greyLow = Double.isNaN(greyLow) ? rate : Math.min(greyLow, rate);
                greyHigh = Double.isNaN(greyHigh) ? rate : Math.max(greyHigh, rate);
            }
        }
        if (!highSeen && high < ceiling && isNarrow(upperOpenEnd(), high)) {
            high = Math.min(2 * high, ceiling);
        }
    }

    /** Whether the upper bound is a measured rate that was too high, not only the highest possible rate. */
    boolean isBounded() {
        return highSeen;
    }

    /** Excludes all rates above one that the sender cannot exceed. */
    void limit(double rate) {
        high = Math.max(low, Math.min(high, rate));
        ceiling = high;
        highSeen = false;
        forgetGrey(greyHigh > high);
    }

    /** Forgets the grey region if a later fleet contradicts it, because the available bandwidth has changed. */
    private void forgetGrey(boolean isContradicted) {
        if (isContradicted) {
            greyLow = Double.NaN;
            greyHigh = Double.NaN;
        }
    }

    /** A rate that the path carried. */
    double low() {
        return low;
    }

    /** A rate that the path did not carry, or the ceiling, or the greatest rate of the sender. */
    double high() {
        return high;
    }
}
