package io.sluice.samples.mf;

import io.sluice.consistency.worker.Initialiser;
import io.sluice.samples.data.Ratings;
import java.util.Random;

/**
 * The arithmetic of matrix factorisation: a rating is the mean of all ratings plus the product of the factors of its
 * user and its item. Factors and updates are f32, sums are f64 in a fixed order, so that every process that reads the
 * same bits computes the same bits.
 */
final class MfModel {
    /** Standard deviation of the first values, which is not 0 because then all gradients would be 0. */
    private static final double FIRST = 0.1;

    /** Reads one factor; a table and a plain array both fit. */
    @FunctionalInterface
    interface Factors {
        void get(int row, float[] target);
    }

    private final MfSettings settings;
    private final Ratings ratings;
    private final float mean;
    private final double userRate;
    private final double itemRate;

    /**
     * Creates the model of a training.
     *
     * @param userRate factor of the steps of users
     * @param itemRate factor of the steps of items
     */
    MfModel(Ratings ratings, MfSettings settings, double userRate, double itemRate) {
        this.settings = settings;
        this.ratings = ratings;
        this.userRate = userRate;
        this.itemRate = itemRate;
        this.mean = ratings.mean();
    }

    /** Gives tables their first values, in the order of the calls. */
    static Initialiser firstValues(MfSettings settings) {
        Random random = new Random(settings.seed());
        return (table, start, values) -> {
            for (int i = 0; i < values.length; i++) {
                values[i] = (float) (FIRST * random.nextGaussian());
            }
        };
    }

    /**
     * Computes a step downhill: minus the gradient of half the squared error and half of lambda times the squares of
     * both factors, times their rates.
     *
     * @param rating number of the rating
     * @param user factor of its user
     * @param item factor of its item
     * @param userStep receives the step of the user's factor
     * @param itemStep receives the step of the item's factor
     * @return the error of the rating
     */
    double step(int rating, float[] user, float[] item, float[] userStep, float[] itemStep) {
        double error = error(ratings, rating, user, item);
        for (int k = 0; k < user.length; k++) {
            userStep[k] = (float) (userRate * (error * item[k] - settings.lambda() * user[k]));
            itemStep[k] = (float) (itemRate * (error * user[k] - settings.lambda() * item[k]));
        }
        return error;
    }

    /** Sum of the squared errors of ratings. */
    double squares(Ratings of, Factors users, Factors items) {
        float[] user = new float[settings.rank()];
        float[] item = new float[settings.rank()];
        double squares = 0;
        for (int rating = 0; rating < of.size(); rating++) {
            users.get(of.user(rating), user);
            items.get(of.item(rating), item);
            double error = error(of, rating, user, item);
            squares += error * error;
        }
        return squares;
    }

    private double error(Ratings of, int rating, float[] user, float[] item) {
        double product = 0;
        for (int k = 0; k < user.length; k++) {
            product += (double) user[k] * item[k];
        }
        return of.value(rating) - mean - product;
    }
}
