package io.sluice.samples.mf;

import java.util.Random;

/**
 * The order in which the workers take the ratings. The seed shuffles all ratings, and each clock of a pass has an equal
 * part of them; of this part the k-th of n workers takes every n-th rating, starting with the k-th. So the ratings of a
 * worker depend only on the clock and its worker set, and a pass takes each rating once, even when workers join or
 * leave.
 */
final class RatingOrder {
    private final int[] order;
    private final int parts;

    /**
     * Shuffles the ratings.
     *
     * @throws IllegalArgumentException if a clock would have no rating for some worker
     */
    RatingOrder(int ratings, int workers, MfSettings settings) {
        if (ratings / settings.clocksPerPass() < workers) {
            throw new IllegalArgumentException("there are " + ratings + " training ratings for " + workers
                    + " workers and " + settings.clocksPerPass() + " clocks per pass, expected at least one each");
        }
        order = new int[ratings];
        parts = settings.clocksPerPass();
        Random random = new Random(settings.seed());
        for (int i = 0; i < ratings; i++) {
            int j = random.nextInt(i + 1);
            order[i] = order[j];
            order[j] = i;
        }
    }

    /**
     * The position at which the part of a clock begins; it ends at the beginning of the part of the next clock of a
     * pass.
     *
     * @param part number of the clock in its pass, from 0 to the number of clocks
     */
    private int start(int part) {
        return (int) ((long) part * order.length / parts);
    }

    /** The position of a worker's first rating of a clock. */
    int first(int clock, int rank) {
        return start((clock - 1) % parts) + rank;
    }

    /** The position after the ratings of a clock. */
    int end(int clock) {
        return start((clock - 1) % parts + 1);
    }

    /** The rating at a position. */
    int rating(int position) {
        return order[position];
    }
}
