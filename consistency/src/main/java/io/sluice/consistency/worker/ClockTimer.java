package io.sluice.consistency.worker;

import io.sluice.consistency.feedback.LinkFeedback;
import org.agrona.concurrent.NanoClock;

/** Measures the computing time of each clock, without waits, for filters that adapt to the network. */
interface ClockTimer {
    /** Measures nothing, for filters that do not adapt. */
    ClockTimer NONE = new ClockTimer() {
        @Override
        public void begin() {}

        @Override
        public void onClock(long clocks) {}
    };

    /** Starts to measure at the start of training. */
    void begin();

    /** Ends a clock; {@code clocks} had ended before it. */
    void onClock(long clocks);

    /** Measures for the trainer's thread. Allocates nothing. */
    final class Measuring implements ClockTimer {
        private final NanoClock clock;
        private final WorkerStats stats;
        private final LinkFeedback feedback;
        private long endNs;
        private long endWaitNs;

        Measuring(NanoClock clock, WorkerStats stats, LinkFeedback feedback) {
            this.clock = clock;
            this.stats = stats;
            this.feedback = feedback;
        }

        @Override
        public void begin() {
            endNs = clock.nanoTime();
        }

        @Override
        public void onClock(long clocks) {
            long nowNs = clock.nanoTime();
            long waitNs = stats.waitNs();
            if (clocks > 0) {
                feedback.onClock(nowNs, nowNs - endNs - (waitNs - endWaitNs));
            }
            endNs = nowNs;
            endWaitNs = waitNs;
        }
    }
}
