package io.sluice.filter.threshold;

/** Estimates from a sample of magnitudes above which one a given share of all lies. May have scratch space. */
public interface TailEstimator {
    /**
     * Estimates a threshold.
     *
     * @param magnitudes holds the sample; not changed
     * @param from first of the sample
     * @param count of the sample, 1 or more
     * @param density share of all elements that is to lie above, above 0 and below 1
     * @return finite, 0 or more
     */
    double threshold(float[] magnitudes, int from, int count, double density);

    /**
     * How far from the wanted share the share above a threshold may be: while what is kept misses by less, an estimate
     * would not be better than a correction.
     *
     * @param wanted how many of the sample are to lie above
     * @return natural logarithm of the factor, above 0
     */
    double error(double wanted);
}
