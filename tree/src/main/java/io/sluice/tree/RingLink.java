package io.sluice.tree;

import io.sluice.messaging.Link;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;

/** One link of a {@link FrameRing}: its position, and whether others have to wait for it. */
final class RingLink {
    private final int number;
    private final Outlet outlet;

    /** Position in the ring of the next frame to offer. */
    private long position;

    /** Frames that have passed through the ring before that one. */
    private long frames;

    private boolean reached;
    private boolean skipped;

    /** Whether it has been offered the frame in hand, or needs not be. */
    private boolean served;

    RingLink(int number, Link link, NanoClock clock, long position, long frames) {
        this.number = number;
        this.outlet = new Outlet(link, clock);
        this.position = position;
        this.frames = frames;
    }

    int number() {
        return number;
    }

    Outlet outlet() {
        return outlet;
    }

    boolean isConnected() {
        return outlet.link().isConnected();
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

    /** Whether it has yet to send something of what is in the ring. */
    boolean isBehind(long tail) {
        return position < tail;
    }

    /** Whether it was there once, and is not now. */
    boolean isLost() {
        return reached && !outlet.link().isConnected();
    }

    boolean offer(DirectBuffer buffer, int offset, int length) {
        boolean taken = outlet.offer(buffer, offset, length);
        reached |= taken;
        skipped &= !taken;
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
