package io.sluice.tree;

import io.sluice.messaging.Link;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;

/** One link of a {@link FrameRing}: its position, and whether others have to wait for it. */
final class RingLink {
    private final int number;
    private final Outlet outlet;

    /** Position in the ring of the next frame to offer to the link. */
    private long position;

    /** Number of frames that the ring has received before that frame. */
    private long frames;

    private boolean reached;
    private boolean skipped;

    /** Whether the link has been offered the current frame, or need not be. */
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

    void setServed(boolean served) {
        this.served = served;
    }

    /** Whether the link has yet to send a frame of the ring. */
    boolean isBehind(long tail) {
        return position < tail;
    }

    /** Whether the link was connected once and is not now. */
    boolean isLost() {
        return reached && !outlet.link().isConnected();
    }

    boolean offer(DirectBuffer buffer, int offset, int length) {
        boolean taken = outlet.offer(buffer, offset, length);
        reached |= taken;
        skipped &= !taken;
        return taken;
    }

    /** Skips the frames that the link has yet to send; false if it has taken nothing since the last skip. */
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
