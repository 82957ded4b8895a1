package io.sluice.perf.updates;

import java.util.SplittableRandom;

/**
 * Random updates: those of the odd clock are those of the even clock with the opposite sign.
 *
 * <p>So an element that passes leaves no residual and passes again; one that does not pass stays in the residual, which
 * the next clock returns to exactly 0. The chosen number of elements, drawn at random, passes in every clock; the
 * table is too long for a branch predictor to predict which.
 */
public enum Distribution implements UpdateSource {
    /**
     * Two uniform distributions: from 1.5 to 3 for elements that pass a threshold of 1, from 0.1 to 0.6 for the others.
     */
    SYNTHETIC {
        @Override
        double draw(SplittableRandom random, double kept) {
            boolean passes = random.nextDouble() < kept;
            double uniform = random.nextDouble();
            return random.nextBoolean() ? signed(passes, uniform) : -signed(passes, uniform);
        }

        private static double signed(boolean passes, double uniform) {
            return passes ? 1.5 + 1.5 * uniform : 0.1 + 0.5 * uniform;
        }

        @Override
        public float threshold(long elements, double kept) {
            return 1.0f;
        }
    },

    /** The standard normal distribution. */
    GAUSSIAN {
        @Override
        double draw(SplittableRandom random, double kept) {
            return random.nextGaussian();
        }
    },

    /** The double exponential distribution of scale 1. */
    LAPLACE {
        @Override
        double draw(SplittableRandom random, double kept) {
            double magnitude = random.nextExponential();
            return random.nextBoolean() ? magnitude : -magnitude;
        }
    };

    private static final int SAMPLE = 1 << 20;

    abstract double draw(SplittableRandom random, double kept);

    @Override
    public int clocks() {
        return 2;
    }

    @Override
    public long maxElements() {
        return Long.MAX_VALUE;
    }

    /** Elements are drawn from a stream that begins at {@code from}: equal arguments give equal updates. */
    @Override
    public float[] update(int clock, long from, int elements, double kept) {
        SplittableRandom random = new SplittableRandom(from);
        float sign = clock % 2 == 0 ? 1.0f : -1.0f;
        float[] update = new float[elements];
        for (int i = 0; i < elements; i++) {
            update[i] = sign * (float) draw(random, kept);
        }
        return update;
    }

    @Override
    public float threshold(long elements, double kept) {
        int sample = (int) Math.min(elements, SAMPLE);
        return SteadyThreshold.of(new float[][] {update(0, 0, sample, kept), update(1, 0, sample, kept)}, kept);
    }

    @Override
    public String label() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
