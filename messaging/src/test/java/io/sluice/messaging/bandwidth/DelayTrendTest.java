package io.sluice.messaging.bandwidth;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.sluice.codecs.Property;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DelayTrendTest {
    @Test
    void takesMediansOfTheSquareRootOfGroups() {
        int[] delays = {3, 1, 2, 9, 7, 8, 4, 6, 5, 100};
        assertArrayEquals(new double[] {2, 8, 5.5}, DelayTrend.medians(delays));
    }

    @Test
    void comparesAndSubtractsAsDefined() {
        double[] medians = {1, 3, 2, 6};
        assertEquals(2.0 / 3, DelayTrend.pairwiseComparison(medians), 1e-12);
        assertEquals(5.0 / 7, DelayTrend.pairwiseDifference(medians), 1e-12);
        double[] flat = {4, 4, 4};
        assertEquals(0, DelayTrend.pairwiseComparison(flat));
        assertEquals(0, DelayTrend.pairwiseDifference(flat));
        double[] falling = {3, 2, 1};
        assertEquals(0, DelayTrend.pairwiseComparison(falling));
        assertEquals(-1, DelayTrend.pairwiseDifference(falling));
    }

    @Test
    void seesARiseThroughNoise() {
        Property.holds(200, random -> {
            int slope = random.nextInt(1_000, 50_000);
            int[] delays = IntStream.range(0, 100)
                    .map(i -> i * slope + random.nextInt(slope * 10))
                    .toArray();
            assertEquals(DelayTrend.INCREASING, DelayTrend.of(delays));
        });
    }

    @Test
    void seldomSeesARiseInNoise() {
        SplittableRandom random = new SplittableRandom(7);
        int seen = 0;
        for (int i = 0; i < 1_000; i++) {
            int[] delays = random.ints(100, 0, 100_000).toArray();
            seen += DelayTrend.of(delays) == DelayTrend.INCREASING ? 1 : 0;
        }
        assertEquals(0, seen / 100, seen + " of 1000 streams of noise seem to increase");
    }

    @Test
    void isNotFooledByOnePause() {
        Property.holds(200, random -> {
            // A thread slept: what arrived meanwhile is late by less and less, the rest is as before.
            int at = random.nextInt(20, 60);
            int[] delays = IntStream.range(0, 100)
                    .map(i -> random.nextInt(20_000) + (i >= at && i < at + 10 ? (at + 10 - i) * 200_000 : 0))
                    .toArray();
            assertNotEquals(DelayTrend.INCREASING, DelayTrend.of(delays));
        });
    }

    @Test
    void saysNothingOfTooFew() {
        assertEquals(
                DelayTrend.AMBIGUOUS,
                DelayTrend.of(IntStream.range(0, DelayTrend.MIN_DELAYS - 1).toArray()));
        assertEquals(
                DelayTrend.INCREASING,
                DelayTrend.of(IntStream.range(0, DelayTrend.MIN_DELAYS).toArray()));
    }
}
