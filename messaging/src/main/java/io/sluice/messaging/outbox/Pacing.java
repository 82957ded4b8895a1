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
        return isOpen(length) && (buckets.length == 0 || !holdsBack(length, clock.nanoTime()));
    }

    /**
     * Whether the in-flight window has room for a frame, whatever the budgets say.
     *
     * @param length of the frame in bytes
     * @return true if the path takes it, as far as is known
     */
    public boolean isOpen(int length) {
        return window == null || window.admits(link.position(), link.lengthInLog(length));
    }

    /**
     * Whether a frame has to wait for a budget, whatever else it waits for.
     *
     * @param length of the frame in bytes
     * @param nowNs  the time, by the clock of the budget
     * @return true if a bucket has no room for it
     */
    public boolean holdsBack(int length, long nowNs) {
        int bytes = link.lengthInLog(length);
        for (LeakyBucket bucket : buckets) {
            if (!bucket.admits(bytes, nowNs)) {
                return true;
            }
        }
        return false;
    }

    /** Whether there is a budget. */
    public boolean isBudgeted() {
        return buckets.length > 0;
    }

    /**
     * How much of the budget is used: what is in the bucket that has the least room left.
     *
     * @param nowNs the time, by the clock of the budget
     * @return bytes, 0 to the burst and a frame; 0 without a budget
     */
    public long used(long nowNs) {
        long used = 0;
        long leastRoom = Long.MAX_VALUE;
        for (LeakyBucket bucket : buckets) {
            long level = bucket.level(nowNs);
            if (bucket.burst() - level < leastRoom) {
                leastRoom = bucket.burst() - level;
                used = level;
            }
        }
        return used;
    }

    /**
     * How many frames could go at once because the budget has nothing else to do: as many as a burst holds when all
     * buckets have run empty, and none before. So what is sent only because there is room (Boesen, section 3.3.1)
     * delays what has to be sent by no more than one burst.
     *
     * @param length of each frame in bytes
     * @return 0 also without a budget, of which nothing can be left
     */
    public int spare(int length) {
        int bytes = link.lengthInLog(length);
        if (buckets.length == 0 || window != null && !window.admits(link.position(), bytes)) {
            return 0;
        }
        long nowNs = clock.nanoTime();
        int frames = Integer.MAX_VALUE;
        for (LeakyBucket bucket : buckets) {
            frames = bucket.isEmpty(nowNs) ? Math.min(frames, bucket.burst() / bytes) : 0;
        }
        return frames;
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
