package io.sluice.tree;

import io.sluice.messaging.Link;
import io.sluice.messaging.outbox.FencedQueue;
import io.sluice.messaging.outbox.Pacing;

/**
 * Sends each frame on every one of a node's outgoing hops, at the pace of each.
 *
 * <p>Frames first wait in a queue, the most urgent first, until some link has room for one more; there they can be
 * overtaken. Then they are sealed and go into a ring, in which each link has its own position: so all links carry the
 * same bytes in the same order, and a slow link delays neither the others nor the caller, up to the ring's capacity.
 * Nothing is decoded or copied here.
 *
 * <p>Used by one thread. Allocates nothing after construction.
 */
public final class FanOut {
    /** How many times as many frames as wait may overtake one before it goes. */
    private static final int PATIENCE = 4;

    private final Link[] links;
    private final Pacing[] pacings;
    private final int longest;
    private final long[] positions;
    private final OutFrame[] ring;
    private final int mask;
    private final FencedQueue queue;
    private final OutFrame[] waiting;
    private final int[] free;
    private int freeCount;
    private long tail;

    /**
     * Creates an empty fan-out that sends frames in the order in which they come, whatever the pace.
     *
     * @param links    one per outgoing hop; may be empty, then frames are done at once
     * @param capacity most frames that may be on their way at a time; rounded up to a power of two
     */
    public FanOut(Link[] links, int capacity) {
        this(links, new Pacing[0], capacity, 0, 0);
    }

    /**
     * Creates an empty fan-out.
     *
     * @param links    one per outgoing hop; may be empty, then frames are done at once, unsealed
     * @param pacings  when each link may send, if frames are to wait where they can be overtaken until one may; if
     *                 empty, frames leave the queue at once
     * @param capacity most frames that may be on their way at a time; rounded up to a power of two
     * @param lanes    numbers that fences may close, from 0
     * @param longest  frame there will be, in bytes
     */
    public FanOut(Link[] links, Pacing[] pacings, int capacity, int lanes, int longest) {
        this.links = links.clone();
        this.pacings = pacings.clone();
        this.longest = longest;
        this.positions = new long[links.length];
        int size = Math.max(2, Integer.highestOneBit(Math.max(1, capacity - 1)) << 1);
        this.ring = new OutFrame[size];
        this.mask = size - 1;
        this.queue = new FencedQueue(size, lanes, (long) PATIENCE * size);
        this.waiting = new OutFrame[size];
        this.free = new int[size];
        for (int slot = size - 1; slot >= 0; slot--) {
            free[freeCount++] = slot;
        }
    }

    /**
     * Puts a frame that is sealed already behind all others.
     *
     * @param frame  an idle frame, written from index 0 of its buffer
     * @param length bytes of the frame
     * @throws IllegalStateException if the frame is still being sent, or more frames wait than the capacity allows:
     *                               both are errors of the caller's accounting
     */
    public void enqueue(OutFrame frame, int length) {
        frame.length(length);
        int slot = admit(frame);
        if (slot != FencedQueue.NONE) {
            queue.put(slot, FencedQueue.NO_LANE, Long.MAX_VALUE);
        }
    }

    /**
     * Puts a frame among those waiting. It is sealed when its turn has come.
     *
     * @param frame    an idle frame that can be sealed
     * @param lane     that it belongs to, or {@link FencedQueue#NO_LANE}
     * @param priority the smaller, the sooner; equal ones as they come
     * @throws IllegalStateException as {@link #enqueue(OutFrame, int)} does
     */
    public void enqueue(OutFrame frame, int lane, long priority) {
        int slot = admit(frame);
        if (slot != FencedQueue.NONE) {
            queue.put(slot, lane, priority);
        }
    }

    /**
     * Puts a frame behind all that wait of its lane, and before all that will.
     *
     * @param frame an idle frame that can be sealed
     * @param lane  that it closes
     * @throws IllegalStateException as {@link #enqueue(OutFrame, int)} does
     */
    public void enqueueFence(OutFrame frame, int lane) {
        int slot = admit(frame);
        if (slot != FencedQueue.NONE) {
            queue.fence(slot, lane);
        }
    }

    private int admit(OutFrame frame) {
        if (!frame.isIdle()) {
            throw new IllegalStateException("the frame is still being sent");
        }
        if (0 == links.length) {
            return FencedQueue.NONE;
        }
        if (backlog() > mask) {
            throw new IllegalStateException("more than " + ring.length + " frames wait to be sent");
        }
        frame.queued(links.length);
        int slot = free[--freeCount];
        waiting[slot] = frame;
        return slot;
    }

    /**
     * Offers frames to their links until each is up to date or refuses, or its budget is used up.
     *
     * @return frames sent, counting one for each link that took it; 0 when there was nothing to do or no room
     */
    public int flush() {
        int sent = offer();
        while (isTurn() && next()) {
            sent += offer();
        }
        return sent;
    }

    /** Whether a frame may leave the queue: a link is up to date and has room for it. */
    private boolean isTurn() {
        if (0 == queue.size()) {
            return false;
        }
        if (0 == pacings.length) {
            return true;
        }
        for (int i = 0; i < links.length; i++) {
            if (positions[i] == tail && links[i].room() > 0 && pacings[i].admits(longest)) {
                return true;
            }
        }
        return false;
    }

    private boolean next() {
        int slot = queue.first();
        if (slot == FencedQueue.NONE) {
            return false;
        }
        queue.remove(slot);
        OutFrame frame = waiting[slot];
        waiting[slot] = null;
        free[freeCount++] = slot;
        frame.seal();
        ring[(int) tail & mask] = frame;
        tail++;
        return true;
    }

    private int offer() {
        int sent = 0;
        for (int i = 0; i < links.length; i++) {
            Link link = links[i];
            long position = positions[i];
            while (position < tail) {
                OutFrame frame = ring[(int) position & mask];
                if (!isAdmitted(i, frame.length()) || !link.offer(frame.buffer(), 0, frame.length())) {
                    break;
                }
                onSent(i, frame.length());
                frame.sent();
                position++;
                sent++;
            }
            positions[i] = position;
        }
        return sent;
    }

    private boolean isAdmitted(int link, int length) {
        return 0 == pacings.length || pacings[link].admits(length);
    }

    private void onSent(int link, int length) {
        if (0 != pacings.length) {
            pacings[link].onSent(length);
        }
    }

    /**
     * Frames that the slowest link has yet to send.
     *
     * @return 0 when every link is up to date and nothing waits
     */
    public int backlog() {
        return queue.size() + (0 == links.length ? 0 : (int) (tail - slowest()));
    }

    private long slowest() {
        long slowest = tail;
        for (long position : positions) {
            slowest = Math.min(slowest, position);
        }
        return slowest;
    }
}
