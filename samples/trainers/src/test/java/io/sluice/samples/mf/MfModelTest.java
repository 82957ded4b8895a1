package io.sluice.samples.mf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.samples.data.PlantedRatings;
import io.sluice.samples.data.Ratings;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MfModelTest {
    private static final int RANK = 5;
    private static final double LAMBDA = 0.3;
    private static final double RATE = 0.02;

    private final Ratings ratings =
            new PlantedRatings(20, 30, 200, 3, 0.1).generate(5).train();
    private final MfModel model = new MfModel(ratings, new MfSettings(RANK, LAMBDA, 1, 1, 1, 1), RATE, RATE);
    private final float[] user = random(3);
    private final float[] item = random(4);

    private static float[] random(long seed) {
        float[] values = new float[RANK];
        Random random = new Random(seed);
        for (int k = 0; k < RANK; k++) {
            values[k] = random.nextFloat(-1, 1);
        }
        return values;
    }

    private double objective(int rating) {
        double error = error(rating);
        double squares = 0;
        for (int k = 0; k < RANK; k++) {
            squares += user[k] * user[k] + item[k] * item[k];
        }
        return error * error / 2 + LAMBDA * squares / 2;
    }

    private double error(int rating) {
        double product = 0;
        for (int k = 0; k < RANK; k++) {
            product += user[k] * item[k];
        }
        return ratings.value(rating) - ratings.mean() - product;
    }

    @Test
    void stepsAgainstTheGradientThatFiniteDifferencesGive() {
        float[] userStep = new float[RANK];
        float[] itemStep = new float[RANK];
        for (int rating = 0; rating < 20; rating++) {
            assertEquals(error(rating), model.step(rating, user, item, userStep, itemStep), 1e-6);
            for (int k = 0; k < RANK; k++) {
                assertEquals(-RATE * slope(rating, user, k), userStep[k], 1e-5, "user " + k);
                assertEquals(-RATE * slope(rating, item, k), itemStep[k], 1e-5, "item " + k);
            }
        }
    }

    private double slope(int rating, float[] factor, int k) {
        float h = 1f / 64;
        float at = factor[k];
        factor[k] = at + h;
        double above = objective(rating);
        factor[k] = at - h;
        double below = objective(rating);
        factor[k] = at;
        return (above - below) / (2 * h);
    }

    /** A job that diverges reports how far, as long as its factors are finite. */
    @Test
    void hasAFiniteErrorAtAnyFiniteFactors() {
        Arrays.fill(user, 1e30f);
        Arrays.fill(item, 1e30f);
        double error = model.step(0, user, item, new float[RANK], new float[RANK]);
        assertEquals(-RANK * 1e60, error, 1e54);
    }

    @Test
    void addsUpTheSquaresOfAllErrors() {
        double expected = 0;
        for (int rating = 0; rating < ratings.size(); rating++) {
            expected += error(rating) * error(rating);
        }
        double squares = model.squares(
                ratings,
                (row, target) -> System.arraycopy(user, 0, target, 0, RANK),
                (row, target) -> System.arraycopy(item, 0, target, 0, RANK));
        assertEquals(expected, squares, 1e-4 * expected);
    }
}
