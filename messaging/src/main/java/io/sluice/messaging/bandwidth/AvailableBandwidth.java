package io.sluice.messaging.bandwidth;

/**
 * What a search found, on the wire, headers of Ethernet, IPv4 and UDP included.
 *
 * @param low        bytes per second that the path had to spare
 * @param high       bytes per second that it had not; or the ceiling, or what the sender is able to send, if lower
 * @param end        why the search ended; only if {@link End#RESOLVED} are the two as near as was asked for
 * @param bytes      sent on the wire
 * @param streams    sent
 * @param durationNs of the search
 */
public record AvailableBandwidth(double low, double high, End end, long bytes, int streams, long durationNs) {
    /** Why a search ended. */
    public enum End {
        /** The bounds, or those of the region in which the rate varied, are as close as required. */
        RESOLVED,
        /** Nothing that could be sent was too much: the upper bound is the ceiling, or all the sender can do. */
        UNBOUNDED,
        /** The next stream would have exceeded the bytes allowed. */
        OUT_OF_BYTES,
        /** The time allowed was over. */
        OUT_OF_TIME,
        /** No answers from the other end. */
        UNANSWERED,
        /** The thread was interrupted. */
        INTERRUPTED
    }

    /** The middle of the two bounds in bytes per second. */
    public double estimate() {
        return (low + high) / 2;
    }

    /** Whether there is an estimate. */
    public boolean isKnown() {
        return low > 0;
    }
}
