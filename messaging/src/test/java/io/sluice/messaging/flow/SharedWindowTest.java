package io.sluice.messaging.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.driver.CongestionControl;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Streams into one socket, as the driver's conductor asks for their windows. */
class SharedWindowTest {
    private static final int WHOLE = 2 << 20;
    private static final int MTU = 1_408;
    private static final long SEED = 20_261_122;
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

    private final SharedWindows driver = new SharedWindows(true);
    private final WindowShare share = new WindowShare();
    private long nowNs = -5 * MS;

    private SharedWindow stream() {
        return new SharedWindow(share, WHOLE, MTU, null, driver);
    }

    /** The window after a number of bytes has arrived. */
    private int windowAt(SharedWindow stream, long position) {
        return CongestionControl.receiverWindowLength(
                stream.onTrackRebuild(nowNs, position, position, position, position, position, false));
    }

    private void fill(SharedWindow stream) {
        windowAt(stream, 0);
        windowAt(stream, SharedWindows.FIRST);
    }

    @Test
    void aStreamAloneHasAllOfItOnceItCounts() {
        SharedWindow stream = stream();
        assertEquals(SharedWindows.FIRST, stream.initialWindowLength());
        assertEquals(SharedWindows.FIRST, windowAt(stream, 0));
        assertEquals(WHOLE, windowAt(stream, SharedWindows.FIRST / 2));
        assertEquals(WHOLE, stream.maxWindowLength());
    }

    @Test
    void heartbeatsNeverCount() {
        SharedWindow bulk = stream();
        fill(bulk);
        SharedWindow beats = stream();
        for (int i = 0; i < 10_000; i++, nowNs += 100 * MS) {
            assertEquals(SharedWindows.FIRST, windowAt(beats, i * 128L));
        }
        assertEquals(WHOLE, windowAt(bulk, 1 << 30));
    }

    @Test
    void aStreamThatRestsKeepsItsShareAndOneThatEndsGivesItBack() {
        SharedWindow first = stream();
        SharedWindow second = stream();
        fill(first);
        fill(second);
        nowNs += TimeUnit.MINUTES.toNanos(1);
        assertEquals(WHOLE / 2, windowAt(first, 1 << 20));
        second.close();
        second.close();
        assertEquals(WHOLE, windowAt(first, 1 << 20));
        assertTrue(!share.isUnused());
        first.close();
        assertTrue(share.isUnused());
    }

    /** Where no rate is known, both the stream's own rate and its part of the socket bound it. */
    @Test
    void theMeasuredWindowStaysWithinTheShare() {
        SharedWindow stream = new SharedWindow(share, WHOLE, MTU, new MeasuredWindow(MTU, WHOLE), driver);
        assertEquals(MeasuredWindow.FIRST, stream.initialWindowLength());
        assertTrue(stream.shouldMeasureRtt(nowNs));
        stream.onRttMeasurementSent(nowNs);
        stream.onRttMeasurement(nowNs, MS, null);
        SharedWindow other = stream();
        fill(other);
        int window = 0;
        for (int i = 0; i < 200; i++, nowNs += MS) {
            window = windowAt(stream, (long) i * WHOLE);
        }
        assertEquals(WHOLE / 2, window);
        other.close();
        assertEquals(WHOLE, windowAt(stream, 200L * WHOLE));
    }

    /** Random streams: those that count fit the socket together, and each has a window. */
    @Test
    void togetherTheyFitTheSocket() {
        SplittableRandom random = new SplittableRandom(SEED);
        List<SharedWindow> streams = new ArrayList<>();
        List<SharedWindow> counting = new ArrayList<>();
        for (int i = 0; i < 5_000; i++, nowNs += MS) {
            int kind = random.nextInt(4);
            if (kind == 0 || streams.isEmpty()) {
                streams.add(stream());
            } else if (kind == 1 && streams.size() > 200) {
                SharedWindow gone = streams.remove(random.nextInt(streams.size()));
                counting.remove(gone);
                gone.close();
            } else {
                SharedWindow busy = streams.get(random.nextInt(streams.size()));
                fill(busy);
                if (!counting.contains(busy)) {
                    counting.add(busy);
                }
            }
            long together = 0;
            for (SharedWindow each : counting) {
                int window = windowAt(each, 1 << 30);
                assertTrue(window >= 4 * MTU, () -> "seed " + SEED + ": a window of " + window);
                together += window;
            }
            long sum = together;
            assertTrue(sum <= WHOLE, () -> "seed " + SEED + ": " + counting.size() + " streams have " + sum);
        }
    }
}
