package io.sluice.samples.data;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;

/**
 * A data set of ratings, split into training ratings and held-out ratings.
 *
 * @param name name for reports
 * @param users number of users
 * @param items number of items
 * @param train training ratings
 * @param test held-out ratings, to measure the error
 */
public record RatingSet(String name, int users, int items, Ratings train, Ratings test) implements NamedData {
    private static final int TEST_EVERY = 10;

    /** Checks that nothing is null; the sources have checked everything else. */
    public RatingSet {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(train, "train");
        Objects.requireNonNull(test, "test");
    }

    /** Holds out every tenth of all ratings. */
    static RatingSet split(String name, int users, int items, Ratings all) {
        return new RatingSet(
                name,
                users,
                items,
                part(all, rating -> rating % TEST_EVERY != TEST_EVERY - 1),
                part(all, rating -> rating % TEST_EVERY == TEST_EVERY - 1));
    }

    private static Ratings part(Ratings all, IntPredicate wanted) {
        int[] ratings = IntStream.range(0, all.size()).filter(wanted).toArray();
        float[] values = new float[ratings.length];
        for (int i = 0; i < ratings.length; i++) {
            values[i] = all.value(ratings[i]);
        }
        return new Ratings(
                Arrays.stream(ratings).map(all::user).toArray(),
                Arrays.stream(ratings).map(all::item).toArray(),
                values);
    }

    /**
     * A fingerprint of the training ratings.
     *
     * @return a text that is equal for equal ratings and almost always different for others
     */
    public String fingerprint() {
        CRC32C sum = new CRC32C();
        train.addTo(sum);
        return "%d (checksum %08x)".formatted(train.size(), sum.getValue());
    }
}
