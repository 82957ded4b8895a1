package io.sluice.perf.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.perf.benchmark.Tally;
import org.HdrHistogram.Histogram;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;
import org.junit.jupiter.api.Test;

/** Sender and receiver of an open loop over a stream without any latency of its own, on a clock that tests move. */
final class PacedTest {
    private static final long MS = 1_000_000;
    private static final int LENGTH = 128;
    private static final double RATE = 1_000;

    private final ManualClock clock = new ManualClock();

    private Histogram run(int frames, int stalledFrame, long stallNs) {
        DueTimes due = new DueTimes(RATE);
        Receiver receiver = new Receiver(LENGTH, due, frames, clock, new Patience("frames", clock, clock, () -> null));
        int[] sent = new int[1];
        TestBed.Outlet outlet = (buffer, offset, length) -> {
            if (sent[0] == stalledFrame) {
                clock.now += stallNs;
            }
            sent[0]++;
            receiver.onFrame(buffer, offset, length, 0, 0);
            return true;
        };
        Patience patience = new Patience("room", clock, clock, () -> null);
        Sender sender =
                new Sender(outlet, new NumberedFrames(LENGTH, false), frames, patience, null).paced(due, clock, clock);
        Tally sending = new Tally();
        receiver.inlet(limit -> {
            sender.pass(sending);
            return frames;
        });
        Tally received = new Tally();
        receiver.pass(received);
        assertEquals(frames, sending.values());
        assertEquals((long) frames * LENGTH, received.bytes());
        return received.latencies();
    }

    @Test
    void framesGoOutWhenTheyAreDue() {
        Histogram latencies = run(100, -1, 0);
        assertEquals(100, latencies.getTotalCount());
        assertTrue(latencies.getMaxValue() <= ManualClock.STEP_NS, "latest " + latencies.getMaxValue() + " ns");
        assertTrue(clock.now >= 99 * MS, "99 intervals of a millisecond have passed");
    }

    @Test
    void aStallIsChargedToEveryFrameItHeldUp() {
        Histogram latencies = run(100, 20, 10 * MS);
        assertEquals(100, latencies.getTotalCount());
        // The frames after the stalled one were due one millisecond later each, and wait for one millisecond less.
        for (int ms = 1; ms <= 10; ms++) {
            assertEquals(1, latencies.getCountBetweenValues(ms * MS - MS / 10, ms * MS + MS / 10), ms + " ms");
        }
        assertEquals(90, latencies.getCountBetweenValues(0, ManualClock.STEP_NS));
    }

    /** Time passes only while a thread is idle. */
    private static final class ManualClock implements NanoClock, IdleStrategy {
        static final long STEP_NS = 1_000;

        private long now = 5;

        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public void idle(int work) {
            idle();
        }

        @Override
        public void idle() {
            now += STEP_NS;
        }

        @Override
        public void reset() {}
    }
}
