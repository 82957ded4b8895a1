package io.sluice.tree;

import io.sluice.messaging.Link;

/**
 * Sends each frame on every one of a node's outgoing hops, at the pace of each.
 *
 * <p>Frames wait in one ring, in order; each link has its own position in it. A slow link therefore delays neither the
 * others nor the caller, up to the ring's capacity. The bytes are sent as they are: nothing is decoded or copied here.
 *
 * <p>Used by one thread. Allocates nothing after construction.
 */
public final class FanOut {
    private final Link[] links;
    private final long[] positions;
    private final OutFrame[] ring;
    private final int mask;
    private long tail;

    /**
     * Creates an empty fan-out.
     *
     * @param links    one per outgoing hop; may be empty, then frames are done at once
     * @param capacity most frames that may be on their way at a time; rounded up to a power of two
     */
    public FanOut(Link[] links, int capacity) {
        this.links = links.clone();
        this.positions = new long[links.length];
        int size = Math.max(2, Integer.highestOneBit(Math.max(1, capacity - 1)) << 1);
        this.ring = new OutFrame[size];
        this.mask = size - 1;
    }

    /**
     * Puts a frame behind those already waiting.
     *
     * @param frame  an idle frame, written from index 0 of its buffer
     * @param length bytes of the frame
     * @throws IllegalStateException if the frame is still being sent, or more frames wait than the capacity allows:
     *                               both are errors of the caller's accounting
     */
    public void enqueue(OutFrame frame, int length) {
        if (!frame.isIdle()) {
            throw new IllegalStateException("the frame is still being sent");
        }
        if (0 == links.length) {
            return;
        }
        if (tail - slowest() > mask) {
            throw new IllegalStateException("more than " + ring.length + " frames wait to be sent");
        }
        frame.queued(length, links.length);
        ring[(int) tail & mask] = frame;
        tail++;
    }

    /**
     * Offers waiting frames to their links until each is up to date or refuses.
     *
     * @return frames sent, counting one for each link that took it; 0 when there was nothing to do or no room
     */
    public int flush() {
        int sent = 0;
        for (int i = 0; i < links.length; i++) {
            Link link = links[i];
            long position = positions[i];
            while (position < tail) {
                OutFrame frame = ring[(int) position & mask];
                if (!link.offer(frame.buffer(), 0, frame.length())) {
                    break;
                }
                frame.sent();
                position++;
                sent++;
            }
            positions[i] = position;
        }
        return sent;
    }

    /**
     * Frames that the slowest link has yet to send.
     *
     * @return 0 when every link is up to date
     */
    public int backlog() {
        return 0 == links.length ? 0 : (int) (tail - slowest());
    }

    private long slowest() {
        long slowest = tail;
        for (long position : positions) {
            slowest = Math.min(slowest, position);
        }
        return slowest;
    }
}
