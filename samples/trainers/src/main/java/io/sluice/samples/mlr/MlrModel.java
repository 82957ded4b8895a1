package io.sluice.samples.mlr;

import io.sluice.samples.data.Classification;

/**
 * The arithmetic of softmax regression: a row of weights for each class. Weights and updates are f32, sums are f64 in a
 * fixed order, so that every process that reads the same bits computes the same bits.
 */
final class MlrModel {
    private MlrModel() {}

    /**
     * Adds the step of a batch to an update: minus the gradient of the summed log-loss, times a factor.
     *
     * @param examples all examples
     * @param rows     numbers of the examples of the batch
     * @param factor   factor of minus the gradient
     * @param w        weights, class by class
     * @param update   what the step is added to
     * @return the summed log-loss of the batch at these weights
     */
    static double step(Classification examples, int[] rows, double factor, float[] w, float[] update) {
        int width = examples.width();
        double[] shares = new double[examples.classes()];
        double loss = 0;
        for (int row : rows) {
            loss += shares(examples, row, w, shares);
            int from = row * width;
            for (int c = 0; c < shares.length; c++) {
                float g = (float) (factor * ((c == examples.labels()[row] ? 1 : 0) - shares[c]));
                for (int i = 0; i < width; i++) {
                    update[c * width + i] += g * examples.inputs()[from + i];
                }
            }
        }
        return loss;
    }

    /** Computes the probability of each class; returns the log-loss of the example. */
    private static double shares(Classification examples, int row, float[] w, double[] shares) {
        int width = examples.width();
        int from = row * width;
        double most = Double.NEGATIVE_INFINITY;
        for (int c = 0; c < shares.length; c++) {
            double score = 0;
            for (int i = 0; i < width; i++) {
                score += w[c * width + i] * examples.inputs()[from + i];
            }
            shares[c] = score;
            most = Math.max(most, score);
        }
        double ofLabel = shares[examples.labels()[row]] - most;
        double sum = 0;
        for (int c = 0; c < shares.length; c++) {
            shares[c] = StrictMath.exp(shares[c] - most);
            sum += shares[c];
        }
        for (int c = 0; c < shares.length; c++) {
            shares[c] /= sum;
        }
        return StrictMath.log(sum) - ofLabel;
    }

    /** Mean log-loss of all examples. */
    static double loss(Classification examples, float[] w) {
        double[] shares = new double[examples.classes()];
        double loss = 0;
        for (int row = 0; row < examples.size(); row++) {
            loss += shares(examples, row, w, shares);
        }
        return loss / examples.size();
    }

    /** Share of the examples whose label is the class with the highest probability. */
    static double accuracy(Classification examples, float[] w) {
        double[] shares = new double[examples.classes()];
        int right = 0;
        for (int row = 0; row < examples.size(); row++) {
            shares(examples, row, w, shares);
            int best = 0;
            for (int c = 1; c < shares.length; c++) {
                best = shares[c] > shares[best] ? c : best;
            }
            right += best == examples.labels()[row] ? 1 : 0;
        }
        return (double) right / examples.size();
    }
}
