package io.sluice.messaging.udp;

import java.util.concurrent.TimeUnit;

/**
 * Excess of the one-way delay of a round-trip request, from receiver to sender, over the smallest delay seen before.
 * The offset between the clocks of the two hosts cancels out. Their drift is less than 100 ppm; to allow for it, the
 * smallest delay is raised by that share of the elapsed time.
 */
final class RequestDelay {
    private static final long DRIFT = 10_000;

    /** A longer delay means that a clock was set, or that a host was suspended. */
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(1);

    private boolean asked;
    private long receiver;
    private long least;
    private long leastNs;

    /**
     * The excess delay of a request that has just arrived.
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
