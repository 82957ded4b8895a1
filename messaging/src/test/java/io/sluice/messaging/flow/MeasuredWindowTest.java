package io.sluice.messaging.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Windows of streams over a simulated link, of whose rate nothing is known and whose queue holds 50 ms. */
final class MeasuredWindowTest {
    private static final long SEED = 20_261_127;
    private static final int MTU = SimulatedDownlink.DATAGRAM;
    private static final long MBIT = 1_000_000;
    private static final long QUEUE_MS = 50;
    private static final int MOST = 2 << 20;
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

    private static SimulatedDownlink link(int streams, long mbit, double loss) {
        return new SimulatedDownlink(SEED, streams, mbit * MBIT, QUEUE_MS, 1, loss);
    }

    /** The share of a link's rate that streams have got. */
    private static double share(long[] bytes, long ms, double mbit) {
        return Arrays.stream(bytes).sum() * 8_000.0 / ms / (mbit * MBIT);
    }

    private static String seen(SimulatedDownlink link, long[] bytes) {
        return "seed " + SEED + ": " + Arrays.toString(bytes) + ", sent again " + link.sentAgain() + ", queue "
                + link.queueMs() + ", windows " + link.windows();
    }

    @ParameterizedTest
    @CsvSource({"1, 5", "2, 5", "4, 5", "1, 20", "2, 20", "8, 20", "1, 100", "4, 100", "16, 100"})
    void streamsFillALinkOfUnknownRateAndLoseNothing(int streams, long mbit) {
        SimulatedDownlink link = link(streams, mbit, 0);
        link.run(2_000);
        long[] bytes = link.run(4_000);
        assertTrue(share(bytes, 4_000, mbit) > 0.98, () -> seen(link, bytes));
        assertEquals(0, link.sentAgain(), () -> seen(link, bytes));
        assertTrue(link.queueMs() < 40, () -> seen(link, bytes));
        double least = Arrays.stream(bytes).min().getAsLong();
        assertTrue(least * streams > 0.5 * Arrays.stream(bytes).sum(), () -> seen(link, bytes));
    }

    @ParameterizedTest
    @CsvSource({"1, 20", "2, 20", "4, 20", "1, 100", "4, 100"})
    void aLinkThatDropsToAQuarterOfItsRateIsFilledAtOnce(int streams, long mbit) {
        SimulatedDownlink link = link(streams, mbit, 0);
        link.run(3_000);
        link.rate(mbit * MBIT / 4, QUEUE_MS);
        long[] first = link.run(1_000);
        assertTrue(share(first, 1_000, mbit / 4.0) > 0.9, () -> seen(link, first));
        assertTrue(link.sentAgain() < 0.2, () -> seen(link, first));
        long[] then = link.run(3_000);
        assertTrue(share(then, 3_000, mbit / 4.0) > 0.98, () -> seen(link, then));
        assertTrue(link.sentAgain() < 0.01, () -> seen(link, then));
        link.rate(mbit * MBIT, QUEUE_MS);
        link.run(500);
        long[] fast = link.run(1_000);
        assertTrue(share(fast, 1_000, mbit) > 0.95, () -> seen(link, fast));
    }

    /** The threads of senders and receivers pause for a third of the time, up to 40 ms at once. */
    @ParameterizedTest
    @CsvSource({"1, 20", "4, 20", "1, 100", "4, 100"})
    void threadsThatPauseDoNotShrinkWindowsForLong(int streams, long mbit) {
        SimulatedDownlink link = link(streams, mbit, 0);
        link.pauses(40);
        link.run(2_000);
        long[] bytes = link.run(6_000);
        assertTrue(share(bytes, 6_000, mbit) > 0.85, () -> seen(link, bytes));
        link.pauses(0);
        link.run(500);
        long[] after = link.run(1_000);
        assertTrue(share(after, 1_000, mbit) > 0.98, () -> seen(link, after));
    }

    /** Receivers that send over a full link of their own: their requests wait, the data that they receive does not. */
    @ParameterizedTest
    @CsvSource({"1, 20, 25", "4, 20, 25", "1, 100, 25", "4, 100, 25", "2, 50, 50"})
    void dataThatReceiversSendDoesNotShrinkWindows(int streams, long mbit, long backMs) {
        SimulatedDownlink link = link(streams, mbit, 0);
        link.run(1_000);
        link.waitsBack(backMs);
        link.run(1_000);
        long[] bytes = link.run(4_000);
        assertTrue(share(bytes, 4_000, mbit) > 0.97, () -> seen(link, bytes));
        assertTrue(link.queueMs() < 40, () -> seen(link, bytes));
        assertEquals(0, link.sentAgain(), () -> seen(link, bytes));
    }

    @ParameterizedTest
    @CsvSource({"1, 20", "4, 20", "1, 100", "4, 100"})
    void lossAtRandomDoesNotShrinkWindows(int streams, long mbit) {
        SimulatedDownlink link = link(streams, mbit, 0.01);
        link.run(2_000);
        long[] bytes = link.run(4_000);
        assertTrue(share(bytes, 4_000, mbit) > 0.93, () -> seen(link, bytes));
    }

    /** Others get what a stream that has little to send leaves, and those that begin get their part. */
    @Test
    void streamsThatBeginGetTheirPart() {
        SimulatedDownlink link = link(4, 20, 0);
        link.source(0, MBIT);
        link.begins(1, 3_000);
        link.begins(2, 3_000);
        link.run(4_000);
        long[] bytes = link.run(4_000);
        String seen = seen(link, bytes);
        assertEquals(4 * MBIT / 8, bytes[0], 0.05 * MBIT, seen);
        long rest = Arrays.stream(bytes).sum() - bytes[0];
        for (int i = 1; i < 4; i++) {
            assertEquals(rest / 3.0, bytes[i], 0.15 * rest, seen);
        }
        assertTrue(share(bytes, 4_000, 20) > 0.98, seen);
    }

    @Test
    void onAFastNetworkTheWindowIsSoonTheMost() {
        MeasuredWindow window = new MeasuredWindow(MTU, MOST);
        long position = 0;
        int bytes = window.bytes(0, 0, 0);
        int ms = 0;
        for (; ms < 100 && bytes < MOST; ms++) {
            if (window.asks(ms * MS)) {
                window.onAsked(ms * MS);
                window.onAnswer(MS / 5, 0);
            }
            position += 5L * bytes;
            bytes = window.bytes(ms * MS, position, position);
        }
        assertEquals(MOST, bytes);
        assertTrue(ms < 50, "after " + ms + " ms");
    }

    @Test
    void aStreamThatRestsKeepsItsWindowAndMeasuresThePathAnewWhenThatIsOld() {
        MeasuredWindow window = new MeasuredWindow(MTU, MOST);
        assertTrue(window.asks(0));
        window.onAsked(0);
        assertFalse(window.asks(MS));
        window.onAnswer(MS, 0);
        assertEquals(MeasuredWindow.FIRST, window.bytes(MS, 0, 0));
        assertFalse(window.asks(1_000 * MS));
        window.bytes(1_000 * MS, MTU, MTU);
        assertTrue(window.asks(1_000 * MS));
        for (int ms = 1_000; ms < 2_000; ms++) {
            window.bytes(ms * MS, MTU, MTU);
        }
        assertFalse(window.asks(2_000 * MS));
        window.bytes(120_000 * MS, 2 * MTU, 2 * MTU);
        for (int ms = 120_000; ms < 121_000; ms++) {
            window.bytes(ms * MS, 2 * MTU, 2 * MTU);
        }
        assertTrue(window.asks(121_000 * MS));
        assertEquals(MeasuredWindow.FIRST, window.bytes());
    }

    @Test
    void aGapThatNothingClosesHalvesTheWindowDownToTwoDatagrams() {
        MeasuredWindow window = new MeasuredWindow(MTU, MOST);
        window.bytes(0, 0, 0);
        int bytes = window.bytes(MS, 4 * MTU, 0);
        for (int ms = 0; ms < 2_000; ms++) {
            bytes = window.bytes(ms * MS, 4 * MTU, 0);
        }
        assertEquals(2 * MTU, bytes);
    }
}
