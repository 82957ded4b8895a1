package io.sluice.samples.mlr;

import io.sluice.samples.data.Dataset;

/**
 * The quality of a model.
 *
 * @param loss     mean log-loss of the training examples
 * @param accuracy share of the held-out examples that are classified correctly
 */
public record MlrEvaluation(double loss, double accuracy) {
    /**
     * Evaluates weights.
     *
     * @param data examples
     * @param w    weights, class by class
     */
    public static MlrEvaluation of(Dataset data, float[] w) {
        return new MlrEvaluation(MlrModel.loss(data, data.train(), w), accuracyOf(data, w));
    }

    /**
     * Computes only the accuracy, without a pass over the training examples.
     *
     * @param data examples
     * @param w    weights, class by class
     */
    public static double accuracyOf(Dataset data, float[] w) {
        return MlrModel.accuracy(data, w);
    }
}
