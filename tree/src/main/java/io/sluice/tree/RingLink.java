package io.sluice.tree;

import io.sluice.messaging.Link;
import io.sluice.messaging.outbox.LinkWatch;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;

/** One link of a {@link FrameRing}: how far it has come, and since when its receiver takes nothing. */
final class RingLink {
    private static final long TAKING = Long.MIN_VALUE;

    private final Link link;
    private final NanoClock clock;

    /** Null if nobody looks on: the link may always send. */
    private LinkWatch watch;

    /** Position in the ring of the next frame to offer. */
    private long position;

    /** Frames that have gone through the ring before that one. */
    private long frames;

    private boolean reached;
    private boolean givenUp;
    private boolean skipped;

    /** Whether it has been offered the frame in hand, or needs not be. */
    private boolean served;

    private long refusingSinceNs = TAKING;

    RingLink(Link link, NanoClock clock, long position, long frames) {
        this.link = link;
        this.clock = clock;
        this.position = position;
        this.frames = frames;
    }

    void watch(LinkWatch by) {
        watch = by;
    }

    LinkWatch watch() {
        return watch;
    }

    String label() {
        return link.label();
    }

    boolean isConnected() {
        return !givenUp && link.isConnected();
    }

    long position() {
        return position;
    }

    long frames() {
        return frames;
    }

    boolean isServed() {
        return served;
    }

    void served(boolean now) {
        served = now;
    }

    boolean isGivenUp() {
        return givenUp;
    }

    /** Whether it has yet to send something of what is in the ring. */
    boolean isBehind(long tail) {
        return !givenUp && position < tail;
    }

    void giveUp() {
        givenUp = true;
    }

    /** Nobody looks on any more, either. */
    void close() {
        givenUp = true;
        watch = null;
        link.close();
    }

    /** Whether it was there once, and is not now. */
    boolean isLost() {
        return reached && !link.isConnected();
    }

    /** Whether its receiver has taken nothing for a time. */
    boolean stands(long forNs) {
        return TAKING != refusingSinceNs && clock.nanoTime() - refusingSinceNs > forNs;
    }

    boolean offer(DirectBuffer buffer, int offset, int length) {
        boolean taken = null == watch
                ? link.offer(buffer, offset, length)
                : watch.pacing().offer(buffer, offset, length);
        if (taken) {
            reached = true;
            skipped = false;
            refusingSinceNs = TAKING;
            if (null != watch) {
                watch.onSent();
            }
        } else if (null != watch && watch.isHeldBack(length)) {
            refusingSinceNs = TAKING; // a budget says nothing of the receiver
        } else if (TAKING == refusingSinceNs) {
            refusingSinceNs = clock.nanoTime();
        }
        return taken;
    }

    /** Leaves out what it has yet to send; false if it has taken nothing since it did so last. */
    boolean skipTo(long newPosition, long newFrames) {
        moveTo(newPosition, newFrames);
        boolean first = !skipped;
        skipped = true;
        return first;
    }

    void moveTo(long newPosition, long newFrames) {
        position = newPosition;
        frames = newFrames;
    }
}
