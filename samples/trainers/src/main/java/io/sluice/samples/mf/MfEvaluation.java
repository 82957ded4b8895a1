package io.sluice.samples.mf;

import io.sluice.samples.data.RatingSet;

/**
 * The quality of a model.
 *
 * @param trainError sum of the squared errors of the training ratings
 * @param testRmse root of the mean squared error of the held-out ratings
 */
public record MfEvaluation(double trainError, double testRmse) {

    static MfEvaluation of(RatingSet data, MfModel model, MfModel.Factors users, MfModel.Factors items) {
        double test = model.squares(data.test(), users, items);
        return new MfEvaluation(
                model.squares(data.train(), users, items),
                Math.sqrt(test / data.test().size()));
    }
}
