package io.sluice.consistency.worker;

/**
 * Measures for how long the trainer computes in each clock, waits left out. For the trainer's thread. Allocates
 * nothing.
 */
final class ClockTimer {
    private final WorkerLinks links;
    private final WorkerStats stats;
    private long endNs;
    private long endWaitNs;

    ClockTimer(WorkerLinks links, WorkerStats stats) {
        this.links = links;
        this.stats = stats;
    }

    /** The training goes on behind a clock. */
    void begin() {
        endNs = links.clock().nanoTime();
    }

    /** A clock has ended, after so many others. */
    void onClock(long clocks) {
        long nowNs = links.clock().nanoTime();
        long waitNs = stats.waitNs();
        if (clocks > 0) {
            links.onClock(nowNs, nowNs - endNs - (waitNs - endWaitNs));
        }
        endNs = nowNs;
        endWaitNs = waitNs;
    }
}
