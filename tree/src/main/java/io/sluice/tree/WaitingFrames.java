package io.sluice.tree;

import io.sluice.messaging.outbox.BarrierQueue;

/**
 * The frames of a {@link FanOut} that no link sends yet, so that urgent frames can overtake the others.
 *
 * <p>Used by one thread. Allocates nothing after construction.
 */
final class WaitingFrames {
    /**
     * A limit of overtaking, as a multiple of the capacity: a frame that this many frames have overtaken becomes first.
     */
    private static final int PATIENCE = 4;

    private final BarrierQueue queue;
    private final OutFrame[] waiting;
    private final int[] free;
    private int freeCount;

    /** Number of bytes of the frames, estimated until they are finished. */
    private long bytes;

    /**
     * Creates an empty queue.
     *
     * @param capacity maximum number of frames that may wait
     * @param lanes    numbers that fences may close, from 0
     */
    WaitingFrames(int capacity, int lanes) {
        queue = new BarrierQueue(capacity, lanes, (long) PATIENCE * capacity);
        waiting = new OutFrame[capacity];
        free = new int[capacity];
        for (int slot = capacity - 1; slot >= 0; slot--) {
            free[freeCount++] = slot;
        }
    }

    void put(OutFrame frame, int lane, long priority) {
        queue.put(admit(frame), lane, priority);
    }

    /** Queues a frame behind all frames of its lane that wait, and before all later ones. */
    void fence(OutFrame frame, int lane) {
        queue.fence(admit(frame), lane);
    }

    private int admit(OutFrame frame) {
        bytes += frame.length();
        int slot = free[--freeCount];
        waiting[slot] = frame;
        return slot;
    }

    /** Removes the first frame; null if there is none. */
    OutFrame next() {
        int slot = queue.first();
        if (slot == BarrierQueue.NONE) {
            return null;
        }
        queue.remove(slot);
        OutFrame frame = waiting[slot];
        waiting[slot] = null;
        free[freeCount++] = slot;
        bytes -= frame.length();
        return frame;
    }

    int size() {
        return queue.size();
    }

    long bytes() {
        return bytes;
    }

    /** Time since which the oldest frame has been waiting; {@link Long#MAX_VALUE} if no frame does. */
    long oldestNs() {
        long oldestNs = Long.MAX_VALUE;
        for (OutFrame frame : waiting) {
            oldestNs = null == frame ? oldestNs : Math.min(oldestNs, frame.sinceNs());
        }
        return oldestNs;
    }
}
