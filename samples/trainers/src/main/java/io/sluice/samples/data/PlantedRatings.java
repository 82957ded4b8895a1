package io.sluice.samples.data;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Random;

/**
 * Creates ratings of which the best model is known: a rating is {@value #MEAN} plus the product of a factor of the user
 * and a factor of the item plus noise. No model predicts held-out ratings with an error below the noise. Users rate
 * equally often; the popularity of items follows Zipf's law. No user rates an item twice.
 *
 * @param users number of users
 * @param items number of items
 * @param ratings number of ratings, at most half of all pairs
 * @param rank length of a factor
 * @param noise standard deviation of the noise, which is the lowest possible root of the mean squared error
 */
public record PlantedRatings(int users, int items, int ratings, int rank, double noise) {
    /** Ratings in the shape of MovieLens latest-small. */
    public static final PlantedRatings LIKE_MOVIELENS = new PlantedRatings(671, 9_066, 100_004, 10, 0.3);

    private static final double MEAN = 3.5;

    /** Standard deviation of the products of factors: about that of the ratings of MovieLens. */
    private static final double SIGNAL = 1;

    /** Refuses a shape in which the ratings would not fit. */
    public PlantedRatings {
        boolean fits = users > 0 && items > 0 && rank > 0 && (long) users * items <= Integer.MAX_VALUE;
        if (!fits || ratings < 1 || ratings > (long) users * items / 2) {
            throw new IllegalArgumentException(
                    ratings + " ratings of rank " + rank + " for " + users + " users and " + items
                            + " items, expected positive numbers, at most 2147483647 pairs of users and items, and"
                            + " half as many ratings");
        }
    }

    /**
     * Creates the ratings.
     *
     * @param seed the same seed gives the same ratings
     * @return the ratings, every tenth of them held out
     */
    public RatingSet generate(long seed) {
        Random random = new Random(seed);
        double[] userFactors = factors(random, users);
        double[] itemFactors = factors(random, items);
        Zipf popularity = new Zipf(items);
        int[] ofUser = new int[ratings];
        int[] ofItem = new int[ratings];
        float[] values = new float[ratings];
        BitSet rated = new BitSet(users * items);
        for (int i = 0; i < ratings; ) {
            int user = random.nextInt(users);
            int item = popularity.draw(random);
            if (!rated.get(user * items + item)) {
                rated.set(user * items + item);
                ofUser[i] = user;
                ofItem[i] = item;
                double product = product(userFactors, user, itemFactors, item);
                values[i++] = (float) (MEAN + product + noise * random.nextGaussian());
            }
        }
        return RatingSet.split("planted", users, items, new Ratings(ofUser, ofItem, values));
    }

    private double[] factors(Random random, int rows) {
        double scale = Math.sqrt(SIGNAL / Math.sqrt(rank));
        double[] factors = new double[rows * rank];
        Arrays.setAll(factors, i -> scale * random.nextGaussian());
        return factors;
    }

    private double product(double[] userFactors, int user, double[] itemFactors, int item) {
        double sum = 0;
        for (int k = 0; k < rank; k++) {
            sum += userFactors[user * rank + k] * itemFactors[item * rank + k];
        }
        return sum;
    }
}
