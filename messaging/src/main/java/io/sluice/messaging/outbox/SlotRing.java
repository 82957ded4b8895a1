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
     * Makes an empty ring.
     *
     * @param capacity at least this many fit.
     */
    SlotRing(int capacity) {
        int length = Integer.highestOneBit(Math.max(2, 2 * capacity - 1));
        this.slots = new int[length];
        this.mask = length - 1;
    }

    /** By the one thread that offers: false if the ring is full. */
    boolean offer(int slot) {
        long at = tail.getPlain();
        if (at - head.getAcquire() > mask) {
            return false;
        }
        slots[(int) at & mask] = slot;
        tail.setRelease(at + 1);
        return true;
    }

    /** By the one thread that polls: {@link #NONE} if the ring is empty. */
    int poll() {
        long at = head.getPlain();
        if (at == tail.getAcquire()) {
            return NONE;
        }
        int slot = slots[(int) at & mask];
        head.setRelease(at + 1);
        return slot;
    }

    /** For the one thread that polls: a lower bound of the number of slots in the ring. */
    int size() {
        return (int) (tail.getAcquire() - head.getPlain());
    }
}
