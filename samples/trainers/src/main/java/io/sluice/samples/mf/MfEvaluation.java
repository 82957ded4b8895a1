package io.sluice.samples.mf;

import io.sluice.samples.data.RatingSet;

/**
 * The quality of a model.
 *
 * @param trainError sum of the squared errors of the training ratings
 * @param testRmse root of the mean squared error of the held-out ratings
 */
public record MfEvaluation(double trainError, double testRmse) {

    /**
     * Evaluates parameters that are in one array.
     *
     * @param data training and held-out ratings
     * @param settings give the rank
     * @param parameters the factors of all users, then the factors of all items
     * @return the error on the training ratings and on the held-out ratings
     */
    public static MfEvaluation of(RatingSet data, MfSettings settings, float[] parameters) {
        int items = data.users() * settings.rank();
        return of(
                data,
                new MfModel(data.train(), settings, 1, 1),
                (row, target) -> System.arraycopy(parameters, row * target.length, target, 0, target.length),
                (row, target) -> System.arraycopy(parameters, items + row * target.length, target, 0, target.length));
    }

    static MfEvaluation of(RatingSet data, MfModel model, MfModel.Factors users, MfModel.Factors items) {
        double test = model.squares(data.test(), users, items);
        return new MfEvaluation(
                model.squares(data.train(), users, items),
                Math.sqrt(test / data.test().size()));
    }
}
