package io.sluice.messaging.outbox;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Whose turn it is at a budget that several threads share. While nobody else waits, whoever comes has it. Who sent last
 * lets another go first that was refused since: otherwise small frames of one would take what leaks before there is
 * ever room for a large one of the other.
 *
 * <p>Its monitor guards the buckets, too: who holds it may look, send and count, and nobody sends in between.
 */
final class Turns {
    /** Who waits asks again within microseconds, or a millisecond if it slept; after this it has ceased to wait. */
    static final long PATIENCE_NS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final int NOBODY = -1;

    private boolean[] waits = new boolean[0];
    private long[] refusedNs = new long[0];
    private int last = NOBODY;

    /** Adds a thread, and returns its number. */
    synchronized int join() {
        waits = Arrays.copyOf(waits, waits.length + 1);
        refusedNs = Arrays.copyOf(refusedNs, waits.length);
        return waits.length - 1;
    }

    /** Whether another goes first. For whoever holds the monitor, as all that follows. */
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

    /** The budget has refused a frame of this thread. */
    void refused(int thread, long nowNs) {
        waits[thread] = true;
        refusedNs[thread] = nowNs;
    }

    /** Whatever this thread waits for, it is not the budget. */
    void waitsNoMore(int thread) {
        waits[thread] = false;
    }

    /** This thread has sent a frame. */
    void sent(int thread) {
        last = thread;
        waits[thread] = false;
    }
}
