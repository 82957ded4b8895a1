package io.sluice.filter.threshold;

/**
 * The exponential tail that fits a sample above a level: how many magnitudes lie above it, and how far on average. If a
 * share p of all lies above level u, and those on average b above it, a share of q lies above {@code u + b ln(p / q)}.
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

    /** Their mean distance from it; 0 if there are none. */
    double scale() {
        return scale;
    }
}
