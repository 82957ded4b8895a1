package io.sluice.trials.chaos;

import org.agrona.concurrent.NanoClock;

/**
 * Detects that an undisturbed job makes no progress: no worker completes a clock and no process ends. For one thread,
 * which calls it every few milliseconds.
 */
final class StallDetector {
    private final long limitMs;
    private final NanoClock clock;
    private Patience patience;
    private long words;
    private int living;

    /**
     * Starts with a job that has not begun.
     *
     * @param limitMs time without progress, in milliseconds
     * @param clock   monotonic time
     */
    StallDetector(long limitMs, NanoClock clock) {
        this.limitMs = limitMs;
        this.clock = clock;
        this.patience = new Patience(() -> limitMs, clock);
    }

    /**
     * Whether the job has made no progress for longer than the limit.
     *
     * @param nowWords  number of reports of its workers
     * @param nowLiving number of its processes that run
     */
    boolean isStalled(long nowWords, int nowLiving) {
        if (nowWords != words || nowLiving != living) {
            words = nowWords;
            living = nowLiving;
            patience = new Patience(() -> limitMs, clock);
        }
        return patience.isOver();
    }
}
