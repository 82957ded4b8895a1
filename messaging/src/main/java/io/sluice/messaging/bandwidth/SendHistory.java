package io.sluice.messaging.bandwidth;

import java.util.Arrays;

/**
 * When a sender had sent which position, and at which positions it stood still for want of something to send: what the
 * delivery-rate draft (draft-cheng-iccrg-delivery-rate-estimation, section 3.2) keeps with every packet, kept for a
 * stream as a ring of moments. Memory is fixed: when the ring is full the oldest moment goes.
 */
final class SendHistory {
    /** Moments closer than this are kept as one, so that the ring spans seconds however often it is told. */
    static final long RESOLUTION_NS = 1_000_000;

    private static final int CAPACITY = 4_096;
    private static final int MASK = CAPACITY - 1;

    private final long[] times = new long[CAPACITY];
    private final long[] positions = new long[CAPACITY];

    /** Moments of standing still up to and including this one. */
    private final long[] pauses = new long[CAPACITY];

    private final boolean[] paused = new boolean[CAPACITY];

    /** Moments ever recorded; the ring holds the last {@link #CAPACITY} of them. */
    private long end;

    /**
     * Takes note of a moment.
     *
     * @param timeNs   not before the last one
     * @param position sent by then, not below the last one
     * @param idle     whether there was nothing more to send
     */
    void record(long timeNs, long position, boolean idle) {
        if (end > 0) {
            int last = index(end - 1);
            boolean moved = position > positions[last];
            if (!moved && (!idle || paused[last])) {
                return;
            }
            if (moved && !idle && mayReplaceLast(timeNs)) {
                times[last] = timeNs;
                positions[last] = position;
                return;
            }
        }
        append(timeNs, position, idle);
    }

    private boolean mayReplaceLast(long timeNs) {
        return end > 1 && !paused[index(end - 1)] && timeNs - times[index(end - 2)] < RESOLUTION_NS;
    }

    private void append(long timeNs, long position, boolean idle) {
        long before = end == 0 ? 0 : pauses[index(end - 1)];
        int next = index(end++);
        times[next] = timeNs;
        positions[next] = position;
        paused[next] = idle;
        pauses[next] = before + (idle ? 1 : 0);
    }

    /**
     * When a position had been sent.
     *
     * @param position of the stream
     * @return the first moment known at which that much had been sent, in nanoseconds; of a position that was never
     *     seen sent, the last moment known
     */
    long timeOf(long position) {
        long moment = firstAtLeast(position);
        return times[index(Math.min(moment, end - 1))];
    }

    /**
     * Whether the sender stood still at a position for want of something to send.
     *
     * @param from first position that counts
     * @param to   first position that does not
     * @return true if it did, as far as the ring knows
     */
    boolean pausedWithin(long from, long to) {
        return pausesBelow(to) > pausesBelow(from);
    }

    private long pausesBelow(long position) {
        long moment = firstAtLeast(position);
        if (moment > oldest()) {
            return pauses[index(moment - 1)];
        }
        int first = index(oldest());
        return pauses[first] - (paused[first] ? 1 : 0);
    }

    private long firstAtLeast(long position) {
        long low = oldest();
        long high = end;
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (positions[index(middle)] < position) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private long oldest() {
        return Math.max(0, end - CAPACITY);
    }

    void clear() {
        end = 0;
        Arrays.fill(paused, false);
    }

    private static int index(long moment) {
        return (int) moment & MASK;
    }
}
