package io.sluice.consistency.feedback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import io.sluice.filter.feedback.SettableFeedback;
import io.sluice.filter.spi.NetworkFeedback;
import io.sluice.messaging.bandwidth.DeliveryRate;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Rates measured on streams in simulated time, and the feedback that filters receive. */
class LinkFeedbackTest {
    private static final long MINIMUM = 6_250_000;
    private static final long CLOCK_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long NO_BOUND = Long.MAX_VALUE;

    /** A stream at the lower of two rates: that of its path and that of its application. */
    private static final class Stream {
        private static final long STEP_NS = 1_000_000;

        final DeliveryRate rate = new DeliveryRate();
        double path;
        double offered = Double.MAX_VALUE;
        long nowNs;
        private double position;

        Stream(double path) {
            this.path = path;
        }

        void run(long forNs) {
            for (long end = nowNs + forNs; nowNs < end; ) {
                nowNs += STEP_NS;
                position += Math.min(path, offered) * STEP_NS / 1e9;
                rate.onPositions(nowNs, (long) position, (long) position, offered < path);
            }
        }
    }

    private static LinkFeedback of(List<Stream> links, long bound, long minimum, SettableFeedback told) {
        return new LinkFeedback(
                links.stream().map(link -> link.rate).toList(), links.size(), bound, minimum, minimum == 0, told);
    }

    private static void clocks(int count, List<Stream> links, LinkFeedback feedback) {
        for (int i = 0; i < count; i++) {
            links.forEach(link -> link.run(CLOCK_NS));
            feedback.onClock(links.getFirst().nowNs, CLOCK_NS / 2);
        }
    }

    @Test
    void isInsufficientWhileOnePathIsSlow() {
        Property.holds(20, random -> {
            List<Stream> links = streams(random, 3, 2 * MINIMUM, 100 * MINIMUM);
            SettableFeedback told = new SettableFeedback();
            LinkFeedback feedback = of(links, NO_BOUND, MINIMUM, told);
            clocks(4, links, feedback);
            assertTrue(told.isSufficient());
            Stream slow = links.get(random.nextInt(3));
            for (int i = 0; i < 3; i++) {
                slow.path = MINIMUM * random.nextDouble(0.02, 0.95);
                clocks(4, links, feedback);
                assertFalse(told.isSufficient());
                slow.path = MINIMUM * random.nextDouble(1.01, 1.15);
                clocks(4, links, feedback);
                assertFalse(told.isSufficient(), "the rate is within the margin");
                slow.path = MINIMUM * random.nextDouble(1.25, 50);
                clocks(4, links, feedback);
                assertTrue(told.isSufficient());
            }
            assertEquals(NetworkFeedback.NO_BUDGET, told.bytesPerClock(), "no filter has requested a budget");
        });
    }

    private static List<Stream> streams(SplittableRandom random, int count, double from, double to) {
        Stream[] streams = new Stream[count];
        Arrays.setAll(streams, i -> new Stream(random.nextDouble(from, to)));
        return List.of(streams);
    }

    @Test
    void anApplicationThatSendsLittleDoesNotMakeAPathSlow() {
        Stream link = new Stream(100 * MINIMUM);
        link.offered = 0.1 * MINIMUM;
        SettableFeedback told = new SettableFeedback();
        LinkFeedback feedback = of(List.of(link), NO_BOUND, MINIMUM, told);
        clocks(40, List.of(link), feedback);
        assertTrue(link.rate.isKnown() && !link.rate.isBounded());
        assertTrue(told.isSufficient());
    }

    /** A path that was slow is tried again, although the little traffic on it cannot show that it is fast again. */
    @Test
    void aSlowPathIsTriedAgainAfterAWhile() {
        Stream link = new Stream(0.5 * MINIMUM);
        SettableFeedback told = new SettableFeedback();
        LinkFeedback feedback = of(List.of(link), NO_BOUND, MINIMUM, told);
        clocks(4, List.of(link), feedback);
        link.path = 10 * MINIMUM;
        link.offered = 0.1 * MINIMUM;
        clocks(4, List.of(link), feedback);
        assertFalse(told.isSufficient(), "no new sample exists");
        long clocks = 5 * LinkFeedback.GROWS_NS / CLOCK_NS;
        clocks((int) clocks, List.of(link), feedback);
        assertTrue(told.isSufficient());
        link.offered = Double.MAX_VALUE;
        link.path = 0.5 * MINIMUM;
        clocks(4, List.of(link), feedback);
        assertFalse(told.isSufficient(), "the path was still slow");
    }

    /** All samples of an application that sends more and more count, though the path limited none of them. */
    @Test
    void samplesLimitedByTheApplicationDoNotDelayTheRetry() {
        Stream link = new Stream(0.2 * MINIMUM);
        SettableFeedback told = new SettableFeedback();
        LinkFeedback feedback = of(List.of(link), NO_BOUND, MINIMUM, told);
        clocks(4, List.of(link), feedback);
        assertFalse(told.isSufficient());
        link.path = 10 * MINIMUM;
        int steps = (int) Math.ceil(Math.log(1.2 / 0.2) / Math.log(1.25)) + 1;
        for (int i = 0; i < steps * LinkFeedback.GROWS_NS / CLOCK_NS; i++) {
            link.offered = MINIMUM * (0.2 + 0.001 * i);
            clocks(1, List.of(link), feedback);
        }
        assertTrue(told.isSufficient());
    }

    @Test
    void aBudgetBelowTheMinimumIsInsufficientWhateverThePath() {
        Stream fast = new Stream(100 * MINIMUM);
        SettableFeedback told = new SettableFeedback();
        LinkFeedback feedback = of(List.of(fast), MINIMUM - 1, MINIMUM, told);
        clocks(1, List.of(fast), feedback);
        assertFalse(told.isSufficient());
        clocks(10, List.of(fast), feedback);
        assertFalse(told.isSufficient());
    }

    @Test
    void theBytesPerClockAreThoseOfTheSlowestLink() {
        Property.holds(20, random -> {
            List<Stream> links = streams(random, 3, MINIMUM, 20 * MINIMUM);
            double slowest = links.stream().mapToDouble(link -> link.path).min().orElseThrow();
            double ofOne = slowest * CLOCK_NS / 2 / 1e9 * LinkFeedback.SHARE;

            SettableFeedback worker = new SettableFeedback();
            clocks(6, links, of(links, NO_BOUND, 0, worker));
            assertEquals(3 * ofOne, worker.bytesPerClock(), 0.03 * 3 * ofOne);

            SettableFeedback server = new SettableFeedback();
            List<DeliveryRate> rates = links.stream().map(link -> link.rate).toList();
            clocks(6, links, new LinkFeedback(rates, 1, NO_BOUND, 0, true, server));
            assertEquals(ofOne, server.bytesPerClock(), 0.03 * ofOne);
        });
    }

    /**
     * If the application's own rate were the budget, each budget would be a share of the previous clock's bytes, and
     * shrink to zero.
     */
    @Test
    void theRateOfTheApplicationIsNoBudget() {
        Stream link = new Stream(100 * MINIMUM);
        link.offered = MINIMUM;
        SettableFeedback told = new SettableFeedback();
        clocks(20, List.of(link), of(List.of(link), NO_BOUND, 0, told));
        assertEquals(NetworkFeedback.NO_BUDGET, told.bytesPerClock());
        clocks(20, List.of(link), of(List.of(link), 2 * MINIMUM, 0, told));
        assertEquals(2 * MINIMUM * (CLOCK_NS / 2 / 1e9) * LinkFeedback.SHARE, told.bytesPerClock(), 1);
    }

    @Test
    void sharedMemoryIsSufficientAndWithoutABudget() {
        SettableFeedback told = new SettableFeedback();
        told.setSufficient(false);
        LinkFeedback feedback = new LinkFeedback(Arrays.asList(null, null), 1, NO_BOUND, MINIMUM, true, told);
        feedback.onClock(CLOCK_NS, CLOCK_NS);
        assertTrue(told.isSufficient());
        assertEquals(NetworkFeedback.NO_BUDGET, told.bytesPerClock());
    }
}
