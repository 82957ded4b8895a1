package io.sluice.samples.lr;

import io.sluice.consistency.worker.FloatView;
import io.sluice.samples.data.Dataset;

/**
 * The quality of a trained model.
 *
 * @param loss mean log-loss over all training examples
 * @param accuracy share of held-out examples that are classified correctly
 */
public record Evaluation(double loss, double accuracy) {

    /**
     * Evaluates a replica.
     *
     * @param data training and held-out examples
     * @param w the replica
     * @return loss and accuracy
     */
    public static Evaluation of(Dataset data, FloatView w) {
        return of(data, w::get);
    }

    /**
     * Evaluates plain parameters.
     *
     * @param data training and held-out examples
     * @param w the parameters
     * @return loss and accuracy
     */
    public static Evaluation of(Dataset data, float[] w) {
        return of(data, (LrModel.Parameters) i -> w[(int) i]);
    }

    private static Evaluation of(Dataset data, LrModel.Parameters w) {
        return new Evaluation(LrModel.meanLoss(data.train(), w), LrModel.accuracy(data.test(), w));
    }
}
