package io.sluice.messaging.outbox;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Shares a budget fairly between threads. Without contention any thread may send. The thread that sent last yields to a
 * thread that was refused since. Otherwise small frames of one thread would use up the budget before it admits a large
 * frame of another.
 *
 * <p>Its monitor also guards the buckets: its owner checks, sends and counts atomically.
 */
final class Turns {
    /**
     * Time after which a thread that has not retried counts as no longer waiting: a waiting thread retries within
     * microseconds, or a millisecond if it slept.
     */
    static final long PATIENCE_NS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final int NONE = -1;

    private boolean[] waits = new boolean[0];
    private long[] refusedNs = new long[0];
    private int last = NONE;

    /** Adds a thread, and returns its number. */
    synchronized int join() {
        waits = Arrays.copyOf(waits, waits.length + 1);
        refusedNs = Arrays.copyOf(refusedNs, waits.length);
        return waits.length - 1;
    }

    /** Whether another thread has the turn. This and the following methods require the monitor. */
    boolean isOthers(int thread, long nowNs) {
        if (thread != last) {
            return false;
        }
        for (int other = 0; other < waits.length; other++) {
            if (other != thread && waits[other] && nowNs - refusedNs[other] < PATIENCE_NS) {
                return true;
            }
        }
        return false;
    }

    /** Records that the budget has refused a frame of this thread. */
    void refused(int thread, long nowNs) {
        waits[thread] = true;
        refusedNs[thread] = nowNs;
    }

    /** Records that this thread no longer waits for the budget. */
    void waitsNoMore(int thread) {
        waits[thread] = false;
    }

    /** Records that this thread has sent a frame. */
    void sent(int thread) {
        last = thread;
        waits[thread] = false;
    }
}
