package io.sluice.messaging.bandwidth;

import java.util.Arrays;

/**
 * Records when a sender reached which position, and at which positions it paused, for lack of data or because of its
 * own pacing: the state that the delivery-rate draft (draft-cheng-iccrg-delivery-rate-estimation, section 3.2) keeps
 * with every packet, as a ring of moments of a stream. Memory is fixed: a new moment overwrites the oldest.
 */
final class SendHistory {
    /** Moments closer than this are merged, so that the ring spans seconds at any update rate. */
    static final long RESOLUTION_NS = 1_000_000;

    private static final byte SENDING = 0;
    private static final byte HELD_BACK = 1;
    private static final byte IDLE = 2;

    private static final int CAPACITY = 4_096;
    private static final int MASK = CAPACITY - 1;

    private final long[] times = new long[CAPACITY];
    private final long[] positions = new long[CAPACITY];

    /** Number of pauses up to and including each moment. */
    private final long[] pauses = new long[CAPACITY];

    /** Number of these pauses that had the reason that there was no data. */
    private final long[] idles = new long[CAPACITY];

    private final byte[] kinds = new byte[CAPACITY];

    /** Number of recorded moments; the ring holds the last {@link #CAPACITY} of them. */
    private long end;

    /**
     * Records a moment.
     *
     * @param timeNs   time of the moment, not before the last one
     * @param position position sent by then, not below the last one
     * @param idle     whether there was nothing more to send
     * @param heldBack whether pacing held back more data
     */
    void record(long timeNs, long position, boolean idle, boolean heldBack) {
        record(timeNs, position, idle ? IDLE : heldBack ? HELD_BACK : SENDING);
    }

    private void record(long timeNs, long position, byte kind) {
        if (end > 0) {
            int last = index(end - 1);
            boolean moved = position > positions[last];
            if (!moved && kind <= kinds[last]) {
                return;
            }
            if (moved && kind == SENDING && mayReplaceLast(timeNs)) {
                times[last] = timeNs;
                positions[last] = position;
                return;
            }
        }
        append(timeNs, position, kind);
    }

    private boolean mayReplaceLast(long timeNs) {
        return end > 1 && kinds[index(end - 1)] == SENDING && timeNs - times[index(end - 2)] < RESOLUTION_NS;
    }

    private void append(long timeNs, long position, byte kind) {
        long pausesBefore = end == 0 ? 0 : pauses[index(end - 1)];
        long idlesBefore = end == 0 ? 0 : idles[index(end - 1)];
        int next = index(end++);
        times[next] = timeNs;
        positions[next] = position;
        kinds[next] = kind;
        pauses[next] = pausesBefore + (kind == SENDING ? 0 : 1);
        idles[next] = idlesBefore + (kind == IDLE ? 1 : 0);
    }

    /**
     * The time by which a position had been sent.
     *
     * @param position position of the stream
     * @return the first recorded moment by which it had been sent, in nanoseconds; the last recorded moment if there is
     *     none
     */
    long timeOf(long position) {
        long moment = firstAtLeast(position);
        return times[index(Math.min(moment, end - 1))];
    }

    /**
     * Whether the sender paused at a position.
     *
     * @param from first position that counts
     * @param to   first position that does not
     * @return true if it did, according to the moments in the ring
     */
    boolean pausedWithin(long from, long to) {
        return below(to, pauses, SENDING) > below(from, pauses, SENDING);
    }

    /**
     * Whether the sender paused at a position for lack of data.
     *
     * @param from first position that counts
     * @param to   first position that does not
     * @return true if it did, according to the moments in the ring
     */
    boolean idleWithin(long from, long to) {
        return below(to, idles, HELD_BACK) > below(from, idles, HELD_BACK);
    }

    /**
     * Number of moments before a position whose kind is greater than {@code uncounted}, from the running counts of
     * those kinds.
     */
    private long below(long position, long[] counts, byte uncounted) {
        long moment = firstAtLeast(position);
        if (moment > oldest()) {
            return counts[index(moment - 1)];
        }
        int first = index(oldest());
        return counts[first] - (kinds[first] > uncounted ? 1 : 0);
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
        Arrays.fill(kinds, SENDING);
    }

    private static int index(long moment) {
        return (int) moment & MASK;
    }
}
