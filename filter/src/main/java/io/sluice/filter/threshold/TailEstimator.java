package io.sluice.filter.threshold;

/**
 * Estimates, from a sample of magnitudes, the threshold that a given share of all elements exceeds. May hold
 * scratch space.
 */
public interface TailEstimator {
    /**
     * Estimates a threshold.
     *
     * @param magnitudes array that holds the sample; not changed
     * @param from index of the first element of the sample
     * @param count number of elements in the sample, 1 or more
     * @param density share of all elements above the threshold, above 0 and below 1
     * @return finite, 0 or more
     */
    double threshold(float[] magnitudes, int from, int count, double density);

    /**
     * The expected error of an estimate: while the kept share differs from the wanted one by less, a correction is as
     * good.
     *
     * @param wanted wanted number of sampled elements above the threshold
     * @return natural logarithm of the factor, above 0
     */
    double error(double wanted);
}
