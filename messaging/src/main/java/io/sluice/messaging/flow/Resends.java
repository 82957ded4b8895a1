package io.sluice.messaging.flow;

import java.util.concurrent.TimeUnit;

/**
 * Decides what one publication sends again. Aeron answers each request for missing data with all of it, and again after
 * 10 ms, while the first answer still waits in a queue. So a queue that has dropped data because it was full fills with
 * copies of the data. Here an answer is at most a window, and the same data is sent again only after twice the time
 * that the last answer took to show, or after twice the last wait if it did not show.
 *
 * <p>For the sender's thread. Allocates nothing.
 */
final class Resends {
    private static final long LEAST_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long FIRST_NS = 2 * LEAST_NS;
    private static final long MOST_NS = 40 * LEAST_NS;
    private static final int SLACK = 2;

    private long from;
    private long to;
    private long sentNs;
    private long waitNs = FIRST_NS;
    private boolean awaited;

    /** Creates the resends of a publication that has sent nothing again. */
    Resends() {}

    /**
     * Decides how much of a gap to send again.
     *
     * @param position where the gap begins
     * @param length   bytes of the gap
     * @param window   bytes that may be in flight
     * @param mtu      longest datagram, in bytes
     * @param nowNs    the time
     * @return bytes; 0 as long as what was sent again may still be on its way
     */
    int admit(long position, int length, int window, int mtu, long nowNs) {
        onComplete(position, nowNs);
        long passed = nowNs - sentNs;
        boolean again = from <= position && position < to;
        if (again && passed < waitNs) {
            return 0;
        }
        if (again && position == from) {
            waitNs = Math.min(SLACK * waitNs, MOST_NS);
        }
        awaited = !again;
        int admitted = Math.min(length, Math.max(mtu, window));
        from = position;
        // Aeron does not send the part of a datagram, so the last one of a part may not have been sent
        to = position + (admitted < length ? admitted - mtu + 1 : admitted);
        sentNs = nowNs;
        return admitted;
    }

    /**
     * Records up to where the receiver has everything.
     *
     * @param position up to which it is complete, at least
     * @param nowNs    the time
     */
    void onComplete(long position, long nowNs) {
        if (awaited && position > from) {
            awaited = false;
            waitNs = Math.clamp(SLACK * (nowNs - sentNs), LEAST_NS, Math.min(SLACK * waitNs, MOST_NS));
        }
    }
}
