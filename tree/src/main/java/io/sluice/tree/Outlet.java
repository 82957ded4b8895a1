package io.sluice.tree;

import io.sluice.messaging.Link;
import io.sluice.messaging.outbox.LinkWatch;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;

/**
 * A link, its watch, and the time since its path made no progress, because its log is full or its in-flight window
 * closed. Waiting for a budget neither counts as a stall nor hides one.
 *
 * <p>Used by one thread. Allocates nothing.
 */
final class Outlet {
    private static final long TAKING = Long.MIN_VALUE;

    private final Link link;
    private NanoClock clock;

    /** Watch of the link; null if the link is not watched and may always send. */
    private LinkWatch watch;

    private long refusingSinceNs = TAKING;

    /** Creates an outlet whose link is not watched yet, and the clock for its stalls. */
    Outlet(Link link, NanoClock clock) {
        this.link = link;
        this.clock = clock;
    }

    void watch(LinkWatch by) {
        watch = by;
        clock = by.clock();
    }

    LinkWatch watch() {
        return watch;
    }

    void look() {
        if (null != watch) {
            watch.look();
        }
    }

    Link link() {
        return link;
    }

    void close() {
        watch = null;
        refusingSinceNs = TAKING;
        link.close();
    }

    /** Whether log and in-flight window admit a frame, regardless of the budget. */
    private boolean isOpen(int length) {
        if (link.room() <= 0 && !link.isClosed()) { // a closed link throws when it is offered a frame
            return false;
        }
        return null == watch || watch.pacing().isOpen(length);
    }

    /** Whether the path would take a frame; records since when it would not, even if no frame is offered. */
    private boolean opens(int length) {
        boolean open = isOpen(length);
        note(open);
        return open;
    }

    /** Whether the path and its budget admit a frame now. */
    boolean takes(int length) {
        return opens(length) && !isHeldBack(length);
    }

    private boolean isHeldBack(int length) {
        return null != watch && watch.isHeldBack(length);
    }

    /**
     * Number of frames that may be sent early: a burst if the link's log is not full and its budget is unused,
     * otherwise 0.
     */
    int spare(int longest) {
        return link.room() > 0 ? watch.pacing().spare(longest) : 0;
    }

    /**
     * Offers a frame to the path, if its budget admits it, and counts it.
     *
     * @return whether the link has accepted it
     */
    boolean offer(DirectBuffer buffer, int offset, int length) {
        if (!opens(length)) {
            return false;
        }
        boolean taken = null == watch
                ? link.offer(buffer, offset, length)
                : watch.pacing().offer(buffer, offset, length);
        if (!taken) {
            note(isHeldBack(length));
        } else if (null != watch) {
            watch.onSent();
        }
        return taken;
    }

    private void note(boolean taking) {
        if (taking) {
            refusingSinceNs = TAKING;
        } else if (TAKING == refusingSinceNs) {
            refusingSinceNs = clock.nanoTime();
        }
    }

    /** Whether the path has made no progress for a time. */
    boolean isStalled(long forNs) {
        return TAKING != refusingSinceNs && clock.nanoTime() - refusingSinceNs > forNs;
    }
}
