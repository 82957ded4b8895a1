package io.sluice.tree;

import io.sluice.messaging.Link;
import io.sluice.messaging.outbox.LinkWatch;
import java.util.concurrent.TimeUnit;

/** One outgoing link of a {@link FanOut}: how far it has come, and whether its path takes anything. */
final class Branch {
    /**
     * For how long a path takes nothing whose receiver must compute, or be gone: the time in which a link of 10 Mbit/s
     * sends a frame of 64 KiB.
     */
    static final long STAND_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Link link;

    /** Null if nobody looks on: the link may always send. */
    private LinkWatch watch;

    /** Number of the next frame to send. */
    private long position;

    /** Bytes of all frames that it has taken, or that had been sealed before it came. */
    private long taken;

    private boolean givenUp;

    /** Whether it was skipped, and has taken nothing since. */
    private boolean aside;

    private boolean refusing;
    private long refusingSinceNs;

    Branch(Link link, long position, long taken) {
        this.link = link;
        this.position = position;
        this.taken = taken;
    }

    void watch(LinkWatch by) {
        watch = by;
    }

    LinkWatch watch() {
        return watch;
    }

    long position() {
        return position;
    }

    long taken() {
        return taken;
    }

    boolean isGivenUp() {
        return givenUp;
    }

    void giveUp() {
        givenUp = true;
    }

    /** Nobody looks on any more, either. */
    void close() {
        givenUp = true;
        refusing = false;
        watch = null;
        link.close();
    }

    /** Whether frames may leave the queue without it. */
    boolean isPassedOver() {
        return givenUp || aside;
    }

    /** Lets frames go without it until it takes one again; false if it was so already. */
    boolean stepAside() {
        boolean first = !aside;
        aside = true;
        return first;
    }

    String label() {
        return link.label();
    }

    /** Whether log and in-flight window have room, which others that share the budget do not change. */
    boolean isOpen(int length) {
        if (link.room() <= 0 && !link.isClosed()) { // a closed one says so when it is offered a frame
            return false;
        }
        return null == watch || watch.pacing().isOpen(length);
    }

    /** As {@link #isOpen}, and notes since when it is not: nothing of it is in the ring that could be refused. */
    boolean opens(int length) {
        boolean open = isOpen(length);
        if (open) {
            refusing = false;
        } else {
            onRefused();
        }
        return open;
    }

    boolean isHeldBack(int length) {
        return null != watch && watch.isHeldBack(length);
    }

    /** Whether the path has taken nothing for a time. */
    boolean stands(long forNs) {
        return refusing && watch.clock().nanoTime() - refusingSinceNs > forNs;
    }

    /** How many frames could go at once because the budget has run empty. */
    int spare(int longest) {
        return link.room() > 0 ? watch.pacing().spare(longest) : 0;
    }

    /**
     * Offers the next frame. Notes why it does not go: a path that takes nothing may stand, a budget says nothing of
     * the path.
     *
     * @return whether the link has taken it
     */
    boolean send(OutFrame frame) {
        int length = frame.length();
        if (!isOpen(length)) {
            onRefused();
            return false;
        }
        if (isHeldBack(length)) {
            refusing = false;
            return false;
        }
        if (!link.offer(frame.buffer(), 0, length)) {
            onRefused();
            return false;
        }
        taken += length;
        aside = false;
        refusing = false;
        position++;
        frame.sent();
        if (null != watch) {
            watch.pacing().onSent(length);
            watch.onSent();
        }
        return true;
    }

    /** Goes past a frame that nobody will take. */
    void skip(OutFrame frame) {
        taken += frame.length();
        position++;
        frame.sent();
    }

    private void onRefused() {
        if (null != watch && !refusing) {
            refusing = true;
            refusingSinceNs = watch.clock().nanoTime();
        }
    }
}
