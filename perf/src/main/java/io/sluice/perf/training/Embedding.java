package io.sluice.perf.training;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * A row of parameters for each user and each item, whose product approximates the user's rating of the item; trained by
 * stochastic gradient descent (Koren et al. 2009). The ratings are products of shorter rows, unknown to the model.
 * Users rate equally often. The n-th most popular item is rated in proportion to 1/n (Zipf's law).
 *
 * <p>Rows of users precede those of items.
 */
final class Embedding {
    private static final int HIDDEN = 8;
    private static final float RATE = 0.05f;

    private final int users;
    private final int width;
    private final float[] parameters;
    private final float[] truth;
    private final int[] byPopularity;
    private final SplittableRandom random;

    /**
     * Draws all rows.
     *
     * @param users number of users, and of items
     */
    Embedding(int users, int width, long seed) {
        this.users = users;
        this.width = width;
        random = new SplittableRandom(seed);
        parameters = normal(Math.multiplyExact(2 * users, width), Math.sqrt(1.0 / width));
        truth = normal(2 * users * HIDDEN, Math.pow(HIDDEN, -0.25));
        byPopularity = shuffled(users);
    }

    private int[] shuffled(int length) {
        int[] order = new int[length];
        for (int i = 0; i < length; i++) {
            int other = random.nextInt(i + 1);
            order[i] = order[other];
            order[other] = i;
        }
        return order;
    }

    private float[] normal(int length, double deviation) {
        float[] drawn = new float[length];
        for (int i = 0; i < length; i++) {
            drawn[i] = (float) (deviation * random.nextGaussian());
        }
        return drawn;
    }

    /** Number of parameters, and of elements of an update. */
    int size() {
        return parameters.length;
    }

    /**
     * One step over a batch of ratings.
     *
     * @param update receives the change of the parameters
     * @return mean squared error of the batch before the step
     */
    double step(int batch, float[] update) {
        Arrays.fill(update, 0);
        double loss = 0;
        for (int i = 0; i < batch; i++) {
            int user = random.nextInt(users);
            int item = users + popular();
            float error = product(truth, user, item, HIDDEN) - product(parameters, user, item, width);
            for (int k = 0; k < width; k++) {
                update[user * width + k] += RATE * error * parameters[item * width + k];
                update[item * width + k] += RATE * error * parameters[user * width + k];
            }
            loss += (double) error * error;
        }
        for (int i = 0; i < parameters.length; i++) {
            parameters[i] += update[i];
        }
        return loss / batch;
    }

    /** Draws an item by its popularity: one of the n most popular has the probability log (n + 1) / log (all + 1). */
    private int popular() {
        int rank = (int) (StrictMath.pow(users + 1, random.nextDouble()) - 1);
        return byPopularity[Math.min(rank, users - 1)];
    }

    private static float product(float[] rows, int user, int item, int width) {
        float sum = 0;
        for (int k = 0; k < width; k++) {
            sum += rows[user * width + k] * rows[item * width + k];
        }
        return sum;
    }
}
