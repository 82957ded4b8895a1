package io.sluice.messaging.outbox;

import io.sluice.messaging.Link;
import io.sluice.messaging.flow.TokenBucket;
import java.util.Objects;
import java.util.stream.Stream;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;

/**
 * Decides when a link may send: within its budget, that of its node, and the bound on bytes in flight.
 *
 * <p>For the one thread that sends on the link. If links of other threads share the budget ({@link
 * NodeBudget#forAnotherThread()}), frames have to be sent with {@link #offer}, which checks, sends and counts
 * atomically. Allocates nothing per frame.
 */
public final class Pacing {
    private final Link link;
    private final NanoClock clock;
    private final TokenBucket own;
    private final TokenBucket[] buckets;
    private final Turns turns;
    private final int thread;
    private final FlightWindow window;

    /** Creates a pacing. Either bucket may be null; {@code turns} guards both. */
    Pacing(
            Link link,
            NanoClock clock,
            TokenBucket own,
            TokenBucket shared,
            Turns turns,
            int thread,
            FlightWindow window) {
        this.link = link;
        this.clock = clock;
        this.own = own;
        this.buckets = Stream.of(own, shared).filter(Objects::nonNull).toArray(TokenBucket[]::new);
        this.turns = turns;
        this.thread = thread;
        this.window = window;
    }

    /**
     * Whether the budgets and the in-flight window admit a frame now; the log may still be full. If not, the frame
     * counts as waiting.
     *
     * @param length length of the frame in bytes
     * @return true if all bounds admit it
     */
    public boolean admits(int length) {
        if (!isOpen(length)) {
            return false;
        }
        if (buckets.length == 0) {
            return true;
        }
        synchronized (turns) {
            return isAdmitted(length, clock.nanoTime());
        }
    }

    /**
     * Whether the budgets admit a frame. A thread that waits for the budget of its own link does not wait for a turn,
     * so that others may send.
     */
    private boolean isAdmitted(int length, long nowNs) {
        if (!holdsBack(length, nowNs)) {
            return true;
        }
        if (null == own || own.admits(link.lengthInLog(length), nowNs)) {
            turns.refused(thread, nowNs);
        }
        return false;
    }

    /**
     * Offers a frame to the link if all bounds admit it, and counts it.
     *
     * @param buffer buffer holding the frame
     * @param offset offset of its first byte
     * @param length length in bytes
     * @return whether the link has accepted it
     * @throws io.sluice.messaging.LinkClosedException if the link will never take a frame again
     */
    public boolean offer(DirectBuffer buffer, int offset, int length) {
        if (!isOpen(length)) {
            return false;
        }
        if (buckets.length == 0) {
            return link.offer(buffer, offset, length);
        }
        synchronized (turns) {
            if (!isAdmitted(length, clock.nanoTime())) {
                return false;
            }
            if (!link.offer(buffer, offset, length)) {
                turns.waitsNoMore(thread);
                return false;
            }
            onSent(length);
            return true;
        }
    }

    /**
     * Whether the in-flight window admits a frame, regardless of the budgets.
     *
     * @param length length of the frame in bytes
     * @return true if the window admits it, or there is no window
     */
    public boolean isOpen(int length) {
        return window == null || window.admits(link.position(), link.lengthInLog(length));
    }

    /**
     * Whether a frame has to wait for a budget.
     *
     * @param length length of the frame in bytes
     * @param nowNs current time, by the clock of the budget
     * @return true if a bucket does not admit it, or it is another thread's turn
     */
    public boolean holdsBack(int length, long nowNs) {
        if (buckets.length == 0) {
            return false;
        }
        int bytes = link.lengthInLog(length);
        synchronized (turns) {
            for (TokenBucket bucket : buckets) {
                if (!bucket.admits(bytes, nowNs)) {
                    return true;
                }
            }
            return turns.isOthers(thread, nowNs);
        }
    }

    /** Whether there is a budget. */
    public boolean isBudgeted() {
        return buckets.length > 0;
    }

    /**
     * The used part of the budget: the bytes taken from the bucket with the fewest bytes left.
     *
     * @param nowNs current time, by the clock of the budget
     * @return bytes, 0 to the burst and a frame; 0 without a budget
     */
    public long used(long nowNs) {
        long used = 0;
        long leastRoom = Long.MAX_VALUE;
        synchronized (turns) {
            for (TokenBucket bucket : buckets) {
                long taken = bucket.taken(nowNs);
                if (bucket.burst() - taken < leastRoom) {
                    leastRoom = bucket.burst() - taken;
                    used = taken;
                }
            }
        }
        return used;
    }

    /**
     * Number of frames that may be sent early: as many as fit a burst when all buckets are full, otherwise none. So
     * early frames (Boesen, section 3.3.1) delay others by one burst at most.
     *
     * @param length length of each frame in bytes
     * @return the number; 0 if there is no budget
     */
    public int spare(int length) {
        int bytes = link.lengthInLog(length);
        if (buckets.length == 0 || window != null && !window.admits(link.position(), bytes)) {
            return 0;
        }
        long nowNs = clock.nanoTime();
        int frames = Integer.MAX_VALUE;
        synchronized (turns) {
            for (TokenBucket bucket : buckets) {
                frames = bucket.isFull(nowNs) ? Math.min(frames, bucket.burst() / bytes) : 0;
            }
        }
        return frames;
    }

    /**
     * Counts a frame that the link has accepted, where no other thread shares the budget.
     *
     * @param length length of the frame in bytes
     */
    public void onSent(int length) {
        if (buckets.length == 0) {
            return;
        }
        int bytes = link.lengthInLog(length);
        synchronized (turns) {
            long nowNs = clock.nanoTime();
            for (TokenBucket bucket : buckets) {
                bucket.take(bytes, nowNs);
            }
            turns.sent(thread);
        }
    }
}
