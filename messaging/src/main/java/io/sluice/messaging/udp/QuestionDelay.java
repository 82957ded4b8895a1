package io.sluice.messaging.udp;

import java.util.concurrent.TimeUnit;

/**
 * How much longer a question takes from a receiver to the sender than the fastest before. The difference between the
 * clocks of two hosts does not matter. They run apart, by less than 100 millionths of the time, which the fastest
 * loses.
 */
final class QuestionDelay {
    private static final long DRIFT = 10_000;

    /** A longer delay is a clock that was set, or a host that was suspended. */
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(1);

    private boolean asked;
    private long receiver;
    private long least;
    private long leastNs;

    /**
     * The delay of a question that has just arrived.
     *
     * @param from   id of the receiver that has sent the request
     * @param timeNs time of the sender's clock less the time of the receiver's clock at which it sent the request
     * @param nowNs  time of the sender's clock
     * @return nanoseconds, 0 or more
     */
    long of(long from, long timeNs, long nowNs) {
        long delay = timeNs - least - (nowNs - leastNs) / DRIFT;
        if (!asked || from != receiver || delay < 0 || delay > LONGEST_NS) {
            asked = true;
            receiver = from;
            least = timeNs;
            leastNs = nowNs;
            return 0;
        }
        return delay;
    }
}
