package io.sluice.filter.policy;

import java.util.SplittableRandom;

/** Typical updates of a training run, and some pathological ones. */
enum Gradients {
    GAUSSIAN {
        @Override
        double next(SplittableRandom random, int element, double mood) {
            return random.nextGaussian();
        }
    },
    LAPLACE {
        @Override
        double next(SplittableRandom random, int element, double mood) {
            return Math.log(random.nextDouble(1e-12, 1)) * (random.nextBoolean() ? 1 : -1);
        }
    },
    /** Pareto tail of index 2.5. */
    HEAVY {
        @Override
        double next(SplittableRandom random, int element, double mood) {
            return Math.pow(random.nextDouble(1e-12, 1), -1 / 2.5) * (random.nextBoolean() ? 1 : -1);
        }
    },
    /** Layers whose scales differ by up to two decades. */
    LAYERED {
        @Override
        double next(SplittableRandom random, int element, double mood) {
            int layer = element / 1000;
            return random.nextGaussian() * Math.pow(10, (layer * 7 % 11) / 5.0 - 1);
        }
    },
    /** Only the signs differ. */
    CONSTANT {
        @Override
        double next(SplittableRandom random, int element, double mood) {
            return random.nextBoolean() ? 0.5 : -0.5;
        }
    },
    /** The scale changes from batch to batch. */
    MOODY {
        @Override
        double next(SplittableRandom random, int element, double mood) {
            return random.nextGaussian() * Math.exp(mood / 2);
        }
    },
    /** Consecutive gradients have much in common. */
    STEADY {
        @Override
        double next(SplittableRandom random, int element, double mood) {
            return random.nextGaussian() + 0.5 * Math.sin(element * 12.9898);
        }
    };

    abstract double next(SplittableRandom random, int element, double mood);

    void fill(SplittableRandom random, float[] update) {
        double mood = random.nextGaussian();
        for (int i = 0; i < update.length; i++) {
            update[i] = (float) next(random, i, mood);
        }
    }
}
