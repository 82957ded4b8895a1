package io.sluice.messaging.bandwidth;

/**
 * The result of a search, in bytes on the wire, headers of Ethernet, IPv4 and UDP included.
 *
 * @param low highest rate, in bytes per second, that the available bandwidth exceeded; 0 if there was none
 * @param high lowest rate, in bytes per second, that exceeded the available bandwidth; if no rate did, the highest rate
 *             that the search considered: at most its ceiling and the sender's greatest rate
 * @param end why the search ended; only with {@link End#RESOLVED} are the two bounds as close as requested
 * @param bytes bytes sent on the wire
 * @param streams streams sent
 * @param durationNs duration of the search in nanoseconds
 */
public record AvailableBandwidth(double low, double high, End end, long bytes, int streams, long durationNs) {
    /** Why a search ended. */
    public enum End {
        /** The bounds, or those of the region in which the rate varied, are as close as required. */
        RESOLVED,
        /** No rate was too high: the upper bound is the ceiling, or the greatest rate of the sender. */
        UNBOUNDED,
        /** The next stream would have exceeded the bytes allowed. */
        OUT_OF_BYTES,
        /** The time allowed was over. */
        OUT_OF_TIME,
        /** The other end did not answer. */
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
