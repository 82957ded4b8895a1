package io.sluice.consistency.worker;

import io.sluice.consistency.feedback.LinkFeedback;
import org.agrona.concurrent.NanoClock;

/** Measures for how long the trainer computes in each clock, waits left out, for filters that follow the network. */
interface ClockTimer {
    /** Where no filter does. */
    ClockTimer NONE = new ClockTimer() {
        @Override
        public void begin() {}

        @Override
        public void onClock(long clocks) {}
    };

    /** The training goes on behind a clock. */
    void begin();

    /** A clock has ended, after so many others. */
    void onClock(long clocks);

    /** For the trainer's thread. Allocates nothing. */
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
