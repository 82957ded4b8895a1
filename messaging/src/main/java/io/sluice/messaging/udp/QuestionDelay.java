package io.sluice.messaging.udp;

import java.util.concurrent.TimeUnit;

/**
 * How much longer a question takes from a receiver to the sender than the fastest of the last minute. The difference
 * between the clocks of two hosts does not matter, and a minute bounds by how much they run apart.
 */
final class QuestionDelay {
    private static final long PERIOD_NS = TimeUnit.SECONDS.toNanos(30);

    private long receiver;
    private long since;
    private long least = Long.MAX_VALUE;
    private long leastBefore = Long.MAX_VALUE;

    /**
     * The delay of a question that has just arrived.
     *
     * @param from   id of the receiver that has asked
     * @param timeNs time of the sender's clock less the time of the receiver's clock at which it asked
     * @param nowNs  time of the sender's clock
     * @return nanoseconds, 0 or more
     */
    long of(long from, long timeNs, long nowNs) {
        if (from != receiver || nowNs - since > 2 * PERIOD_NS) {
            receiver = from;
            least = Long.MAX_VALUE;
            leastBefore = Long.MAX_VALUE;
            since = nowNs;
        } else if (nowNs - since > PERIOD_NS) {
            leastBefore = least;
            least = Long.MAX_VALUE;
            since = nowNs;
        }
        least = Math.min(least, timeNs);
        return timeNs - Math.min(least, leastBefore);
    }
}
