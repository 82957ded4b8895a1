package io.sluice.trials.chaos;

import org.agrona.concurrent.NanoClock;

/**
 * Whether a job stands still although nobody disturbs it: no worker comes on, and no process ends. For one thread,
 * which has to ask every few milliseconds.
 */
final class Standstill {
    private final long limitMs;
    private final NanoClock clock;
    private Patience patience;
    private long words;
    private int living;

    /**
     * Of a job that has not begun.
     *
     * @param limitMs for which it may stand still, in milliseconds
     * @param clock   that measures it
     */
    Standstill(long limitMs, NanoClock clock) {
        this.limitMs = limitMs;
        this.clock = clock;
        this.patience = new Patience(limitMs, clock);
    }

    /**
     * Whether it stands still for longer than it may.
     *
     * @param nowWords  how often its workers have said that they come on
     * @param nowLiving how many of its processes run
     */
    boolean isTooLong(long nowWords, int nowLiving) {
        if (nowWords != words || nowLiving != living) {
            words = nowWords;
            living = nowLiving;
            patience = new Patience(limitMs, clock);
        }
        return patience.isOver();
    }
}
