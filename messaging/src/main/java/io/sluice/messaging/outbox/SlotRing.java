package io.sluice.messaging.outbox;

import java.util.concurrent.atomic.AtomicLong;

/** Hands slot numbers from one thread to another, in order. Allocates nothing and never waits. */
final class SlotRing {
    static final int NONE = -1;

    private final int[] slots;
    private final int mask;
    private final AtomicLong head = new AtomicLong();
    private final AtomicLong tail = new AtomicLong();

    /**
     * Creates an empty ring.
     *
     * @param capacity minimum number of slots that fit.
     */
    SlotRing(int capacity) {
        int length = Integer.highestOneBit(Math.max(2, 2 * capacity - 1));
        this.slots = new int[length];
        this.mask = length - 1;
    }

    /** Adds a slot; false if the ring is full. For the one thread that offers. */
    boolean offer(int slot) {
        long at = tail.getPlain();
        if (at - head.getAcquire() > mask) {
            return false;
        }
        slots[(int) at & mask] = slot;
        tail.setRelease(at + 1);
        return true;
    }

    /** Removes the oldest slot and returns it, or {@link #NONE} if the ring is empty. For the one thread that polls. */
    int poll() {
        long at = head.getPlain();
        if (at == tail.getAcquire()) {
            return NONE;
        }
        int slot = slots[(int) at & mask];
        head.setRelease(at + 1);
        return slot;
    }

    /** A lower bound on the number of slots in the ring. For the one thread that polls. */
    int size() {
        return (int) (tail.getAcquire() - head.getPlain());
    }
}
