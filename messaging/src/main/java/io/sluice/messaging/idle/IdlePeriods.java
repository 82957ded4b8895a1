package io.sluice.messaging.idle;

/**
 * Running mean of the idle periods of one thread. While they are short, it is better to yield and poll again than to
 * sleep: other threads run in the meantime, and none has to wake this one.
 *
 * <p>For one thread.
 */
final class IdlePeriods {
    /** Time that a sleep and a wake-up take; to poll for work for that long costs no more. */
    private static final long SHORT_NS = 100_000;

    /** Number of bits by which a difference is shifted, so that the last period counts an eighth. */
    private static final int SHARE_BITS = 3;

    private long usualNs;
    private long beganNs;
    private boolean open;

    /** Begins a period, because the thread has nothing to do; has no effect during a period. */
    void begin() {
        if (!open) {
            open = true;
            beganNs = System.nanoTime();
        }
    }

    /** Ends the period, because the thread has something to do. */
    void end() {
        if (open) {
            open = false;
            usualNs += System.nanoTime() - beganNs - usualNs >> SHARE_BITS;
        }
    }

    /** Ends the period without counting it, because the thread has done other work since it began. */
    void drop() {
        open = false;
    }

    /** Whether periods are usually too short to sleep. */
    boolean areShort() {
        return usualNs < SHORT_NS;
    }
}
