package io.sluice.samples.mlr;

import io.sluice.samples.data.ImageSet;

/**
 * The quality of a model.
 *
 * @param loss     mean log-loss of the training images
 * @param accuracy share of the held-out images whose class is right
 */
public record MlrEvaluation(double loss, double accuracy) {
    /**
     * Evaluates weights.
     *
     * @param data images
     * @param w    weights, class by class
     */
    public static MlrEvaluation of(ImageSet data, float[] w) {
        return new MlrEvaluation(MlrModel.loss(data.train(), w), accuracyOf(data, w));
    }

    /**
     * The accuracy alone, without a pass over the training images.
     *
     * @param data images
     * @param w    weights, class by class
     */
    public static double accuracyOf(ImageSet data, float[] w) {
        return MlrModel.accuracy(data.test(), w);
    }
}
