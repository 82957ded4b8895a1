package io.sluice.consistency.membership;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Which workers have left, and which were lost, as a node has been told. Written by the membership's thread, read by
 * any.
 */
final class Departures {
    private static final long HERE = Long.MAX_VALUE;

    private final AtomicLongArray clocks;

    /** By worker, the number of its last loss, from 1; 0 for those who have not been lost. */
    private final AtomicIntegerArray losses;

    Departures(int workers) {
        clocks = new AtomicLongArray(workers);
        for (int worker = 0; worker < workers; worker++) {
            clocks.set(worker, HERE);
        }
        losses = new AtomicIntegerArray(workers);
    }

    int workers() {
        return clocks.length();
    }

    void left(int worker, long clock) {
        clocks.set(worker, clock);
    }

    void lost(int worker, int number) {
        losses.set(worker, number);
    }

    /** Another has come in its place; nothing happens if it is a server, of a negative index. */
    void arrived(int worker) {
        if (worker >= 0) {
            clocks.set(worker, HERE);
        }
    }

    long clockAtLeaving(int worker) {
        return clocks.get(worker);
    }

    int numberOfLoss(int worker) {
        return losses.get(worker);
    }
}
