package io.sluice.messaging.idle;

/**
 * How long a thread usually has nothing to do. While gaps are short, it is better to yield and look again than to
 * sleep: other threads run in the meantime, and none has to wake this one.
 *
 * <p>For one thread.
 */
final class Gaps {
    /** Falling asleep and being woken takes about this long, and looking for work that long costs no more. */
    private static final long SHORT_NS = 100_000;

    /** The last gap counts an eighth. */
    private static final int SHARE_BITS = 3;

    private long usualNs;
    private long beganNs;
    private boolean open;

    /** The thread has nothing to do; repetitions do not count. */
    void begin() {
        if (!open) {
            open = true;
            beganNs = System.nanoTime();
        }
    }

    /** The thread has something to do. */
    void end() {
        if (open) {
            open = false;
            usualNs += System.nanoTime() - beganNs - usualNs >> SHARE_BITS;
        }
    }

    /** The thread has done other things since the gap began: it does not count. */
    void drop() {
        open = false;
    }

    /** Whether gaps are usually too short to sleep. */
    boolean areShort() {
        return usualNs < SHORT_NS;
    }
}
