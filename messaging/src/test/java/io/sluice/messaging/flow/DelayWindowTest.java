package io.sluice.messaging.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The law of windows on a simulated link; {@code -Dsluice.test.seed=} repeats a run. */
final class DelayWindowTest {
    private static final long SEED = Long.getLong("sluice.test.seed", new SplittableRandom().nextLong());
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

    @ParameterizedTest
    @CsvSource({"1, 200, 1", "2, 200, 1", "4, 200, 1", "8, 100, 1", "8, 50, 1", "2, 20, 1", "3, 100, 20"})
    void streamsFillALinkInEqualPartsAndLoseNothing(int streams, long mbit, long delayMs) {
        SimulatedDownlink link = new SimulatedDownlink(SEED, streams, mbit * 1_000_000, 50, delayMs, 0);
        link.run(1_000);
        double first = link.retransmitted();
        long[] delivered = link.run(4_000);
        long all = Arrays.stream(delivered).sum();
        String seen = "seed " + SEED + ": " + Arrays.toString(delivered) + ", first second sends again " + first
                + ", queue " + link.queueMs() + " ms";
        assertTrue(all > 0.97 * mbit * 125_000 * 4, seen);
        assertTrue(first < 0.05, seen);
        assertEquals(0, link.retransmitted(), seen);
        assertTrue(link.queueMs() < 30, seen);
        for (long each : delivered) {
            assertEquals(1.0 / streams, (double) each / all, 0.25 / streams, seen);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 100", "4, 100", "8, 100", "4, 20"})
    void aQuarterOfTheRateIsUsedWithinASecondAndTheRateAgain(int streams, long mbit) {
        long second = mbit * 125_000;
        SimulatedDownlink link = new SimulatedDownlink(SEED, streams, mbit * 1_000_000, 50, 1, 0);
        link.run(3_000);
        link.rate(mbit * 250_000, 50);
        long dropped = Arrays.stream(link.run(1_000)).sum();
        double again = link.retransmitted();
        long slow = Arrays.stream(link.run(3_000)).sum();
        String seen = "seed " + SEED + ": " + dropped + ", " + slow + ", sent again " + again + " and "
                + link.retransmitted() + ", queue " + link.queueMs();
        assertTrue(dropped > 0.8 * second / 4, seen);
        assertTrue(slow > 0.97 * 3 * second / 4, seen);
        assertTrue(link.retransmitted() < 0.01, seen);
        link.rate(mbit * 1_000_000, 50);
        link.run(500);
        long fast = Arrays.stream(link.run(2_000)).sum();
        assertTrue(fast > 0.95 * 2 * second, () -> "seed " + SEED + ": " + fast);
    }

    @Test
    void lossAtRandomCostsLittle() {
        SimulatedDownlink link = new SimulatedDownlink(SEED, 4, 100_000_000, 50, 5, 0.01);
        link.run(2_000);
        long[] delivered = link.run(4_000);
        String seen = "seed " + SEED + ": " + Arrays.toString(delivered);
        assertTrue(Arrays.stream(delivered).sum() > 0.9 * 4 * 12_500_000, seen);
    }

    /** Delays of threads up to 4 ms do not slow a fast network. */
    @Test
    void onAFastNetworkTheWindowGrowsToItsMost() {
        SplittableRandom random = new SplittableRandom(SEED);
        DelayWindow window = new DelayWindow(5_632, 2 << 20);
        long position = 0;
        int bytes = 0;
        for (long now = 0; now < 500 * MS; now += MS) {
            if (window.asks(now)) {
                window.onAsked(now);
                window.onAnswer(random.nextLong(100_000, 4 * MS));
            }
            position += 1 << 20;
            bytes = window.bytes(now, position, false);
        }
        assertEquals(2 << 20, bytes, "seed " + SEED);
    }

    /** Nothing is asked of a stream that rests, and it keeps its window. */
    @Test
    void aStreamThatRestsAsksNothing() {
        DelayWindow window = new DelayWindow(5_632, 2 << 20);
        window.bytes(0, 0, false);
        assertTrue(window.asks(0));
        window.onAsked(0);
        window.onAnswer(MS);
        assertEquals(DelayWindow.START, window.bytes(MS, 0, false));
        assertTrue(!window.asks(1_000 * MS));
        window.bytes(1_000 * MS, 1_408, false);
        assertTrue(window.asks(1_000 * MS));
    }
}
