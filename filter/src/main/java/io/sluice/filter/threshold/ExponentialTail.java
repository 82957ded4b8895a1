package io.sluice.filter.threshold;

/**
 * The exponential tail that fits a sample above a level: how many magnitudes are above it, and by how much on average.
 * If a share p of all is above level u, and by b on average, a share q is above {@code u + b ln(p / q)}.
 */
final class ExponentialTail {
    private int count;
    private double scale;

    /** Fits the tail above a level. */
    ExponentialTail fit(float[] magnitudes, int from, int size, double level) {
        int above = 0;
        double sum = 0;
        for (int i = from; i < from + size; i++) {
            double excess = magnitudes[i] - level;
            if (excess > 0) {
                above++;
                sum += excess;
            }
        }
        count = above;
        scale = above == 0 ? 0 : sum / above;
        return this;
    }

    /** The number of magnitudes above the level. */
    int count() {
        return count;
    }

    /** The mean distance of these magnitudes from the level; 0 if there are none. */
    double scale() {
        return scale;
    }
}
