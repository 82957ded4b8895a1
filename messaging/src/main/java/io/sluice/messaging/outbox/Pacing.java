package io.sluice.messaging.outbox;

import io.sluice.messaging.Link;
import org.agrona.concurrent.NanoClock;

/**
 * Says when a link may send: as its budget, that of its node and the bytes on their way allow.
 *
 * <p>All links of a node that share a budget are used by one thread. Allocates nothing per frame.
 */
public final class Pacing {
    private final Link link;
    private final NanoClock clock;
    private final LeakyBucket[] buckets;
    private final FlightWindow window;

    Pacing(Link link, NanoClock clock, LeakyBucket[] buckets, FlightWindow window) {
        this.link = link;
        this.clock = clock;
        this.buckets = buckets;
        this.window = window;
    }

    /**
     * Whether a frame may be sent now, as far as budgets go; the log may still have no room.
     *
     * @param length of the frame in bytes
     * @return true if it fits all bounds there are
     */
    public boolean admits(int length) {
        int bytes = link.lengthInLog(length);
        if (window != null && !window.admits(link.position(), bytes)) {
            return false;
        }
        if (buckets.length == 0) {
            return true;
        }
        long nowNs = clock.nanoTime();
        for (LeakyBucket bucket : buckets) {
            if (!bucket.admits(bytes, nowNs)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Counts a frame that the link has taken.
     *
     * @param length of the frame in bytes
     */
    public void onSent(int length) {
        if (buckets.length == 0) {
            return;
        }
        int bytes = link.lengthInLog(length);
        long nowNs = clock.nanoTime();
        for (LeakyBucket bucket : buckets) {
            bucket.add(bytes, nowNs);
        }
    }
}
