package io.sluice.samples.mf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RatingOrderTest {
    private static final int RATINGS = 103;

    private static MfSettings settings(int clocksPerPass, long seed) {
        return new MfSettings(2, 0, 3, clocksPerPass, 0.1, seed);
    }

    private static List<Integer> taken(RatingOrder order, int clock, int workers) {
        List<Integer> taken = new ArrayList<>();
        for (int rank = 0; rank < workers; rank++) {
            for (int at = order.first(clock, rank); at < order.end(clock); at += workers) {
                taken.add(order.rating(at));
            }
        }
        return taken;
    }

    @Test
    void eachPassTakesEachRatingOnceAlsoWhereTheNumberOfWorkersChanges() {
        RatingOrder order = new RatingOrder(RATINGS, 5, settings(4, 1));
        for (int pass = 0; pass < 3; pass++) {
            List<Integer> taken = new ArrayList<>();
            for (int clock = 4 * pass + 1; clock <= 4 * pass + 4; clock++) {
                taken.addAll(taken(order, clock, 1 + clock % 5));
            }
            assertArrayEquals(
                    IntStream.range(0, RATINGS).toArray(),
                    taken.stream().mapToInt(Integer::intValue).sorted().toArray());
        }
    }

    @Test
    void isTheSameInEachPassAndWithTheSameSeed() {
        RatingOrder order = new RatingOrder(RATINGS, 3, settings(4, 9));
        assertEquals(taken(order, 2, 3), taken(order, 6, 3));
        assertEquals(taken(order, 2, 3), taken(new RatingOrder(RATINGS, 3, settings(4, 9)), 2, 3));
        assertFalse(taken(order, 2, 3).equals(taken(new RatingOrder(RATINGS, 3, settings(4, 8)), 2, 3)));
    }

    @Test
    void isRefusedIfAWorkerWouldTakeNothing() {
        new RatingOrder(RATINGS, 25, settings(4, 1));
        IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> new RatingOrder(RATINGS, 26, settings(4, 1)));
        assertEquals(
                "there are 103 training ratings for 26 workers and 4 clocks per pass, expected at least one each",
                refusal.getMessage());
    }
}
