package io.sluice.perf.training;

import java.util.SplittableRandom;

/**
 * Logistic regression on synthetic sparse examples. Features are numbered by frequency, as in a sorted vocabulary:
 * feature i occurs with a probability of about 1 / i, so that slices differ in significance.
 */
final class SparseExamples {
    /** Number of features of an example; all have the same value, and the vector has norm 1. */
    private static final int ENTRIES = 64;

    private static final float VALUE = (float) (1 / Math.sqrt(ENTRIES));

    /** Standard deviation of the weights that determine the labels: margins of a few units. */
    private static final double TRUTH = 3;

    private final int features;
    private final int[] entries;
    private final boolean[] labels;

    /** Generates examples; equal seeds give equal examples. */
    SparseExamples(int features, int examples, long seed) {
        this.features = features;
        this.entries = new int[examples * ENTRIES];
        this.labels = new boolean[examples];
        SplittableRandom random = new SplittableRandom(seed);
        double[] truth = new double[features];
        for (int i = 0; i < features; i++) {
            truth[i] = TRUTH * random.nextGaussian();
        }
        double span = Math.log(features);
        for (int example = 0; example < examples; example++) {
            double margin = 0;
            for (int k = example * ENTRIES; k < (example + 1) * ENTRIES; k++) {
                entries[k] = Math.min(features - 1, (int) Math.exp(span * random.nextDouble()) - 1);
                margin += VALUE * truth[entries[k]];
            }
            labels[example] = random.nextDouble() < sigmoid(margin);
        }
    }

    ManagedTask task() {
        return new ManagedTask(features, labels.length, this::step, this::loss);
    }

    private void step(int[] rows, float[] w, double step, float[] update) {
        for (int example : rows) {
            float push = (float) (-step * (sigmoid(margin(example, w)) - (labels[example] ? 1 : 0))) * VALUE;
            for (int k = example * ENTRIES; k < (example + 1) * ENTRIES; k++) {
                update[entries[k]] += push;
            }
        }
    }

    /** Mean log-loss over all examples. */
    private double loss(float[] w) {
        double loss = 0;
        for (int example = 0; example < labels.length; example++) {
            double margin = labels[example] ? margin(example, w) : -margin(example, w);
            loss += Math.max(0, -margin) + Math.log1p(Math.exp(-Math.abs(margin)));
        }
        return loss / labels.length;
    }

    private double margin(int example, float[] w) {
        double sum = 0;
        for (int k = example * ENTRIES; k < (example + 1) * ENTRIES; k++) {
            sum += w[entries[k]];
        }
        return VALUE * sum;
    }

    private static double sigmoid(double margin) {
        return 1 / (1 + Math.exp(-margin));
    }
}
