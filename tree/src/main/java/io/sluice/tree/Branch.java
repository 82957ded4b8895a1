package io.sluice.tree;

import io.sluice.messaging.Link;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.SystemNanoClock;

/** One outgoing link of a {@link FanOut} and its position. */
final class Branch {
    /**
     * Time without progress after which a path counts as stalled: its receiver computes or has ended. A link of 10
     * Mbit/s sends a frame of 64 KiB in this time.
     */
    static final long STALL_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final int number;
    private final Outlet outlet;

    /** Number of the next frame to send. */
    private long position;

    /** Number of bytes of all frames that the link has accepted, or that were finished before it was opened. */
    private long taken;

    /** Whether the link was stalled when a frame's memory was needed, and has taken nothing since. */
    private boolean aside;

    /** Whether the link has skipped frames, and has taken nothing since. */
    private boolean missing;

    Branch(int number, Link link, long position, long taken) {
        this.number = number;
        this.outlet = new Outlet(link, SystemNanoClock.INSTANCE);
        this.position = position;
        this.taken = taken;
    }

    int number() {
        return number;
    }

    /** Whether the link was closed because its receiver ended or moved. */
    boolean isClosed() {
        return outlet.link().isClosed();
    }

    Outlet outlet() {
        return outlet;
    }

    long position() {
        return position;
    }

    long taken() {
        return taken;
    }

    /** Whether the queue may drop frames that this branch has not taken. */
    boolean isAside() {
        return aside;
    }

    /** Allows the queue to drop frames that this branch has not taken, until it takes one again. */
    void stepAside() {
        aside = true;
    }

    /** Whether the link would take a frame now. */
    boolean takes(int length) {
        return outlet.takes(length);
    }

    /** Offers the next frame; false if the link has not taken it. */
    boolean send(OutFrame frame) {
        if (!outlet.offer(frame.buffer(), 0, frame.length())) {
            return false;
        }
        taken += frame.length();
        aside = false;
        missing = false;
        position++;
        frame.sent();
        return true;
    }

    /**
     * Skips frames as {@link #skipTo} does, for a connected receiver; true if the receiver had missed nothing before.
     */
    boolean leaveOut(long end, OutFrame[] ring) {
        boolean first = position < end && !missing;
        missing |= position < end;
        skipTo(end, ring);
        return first;
    }

    /** Skips frames up to a position; the ring's length is a power of two. */
    void skipTo(long end, OutFrame[] ring) {
        while (position < end) {
            OutFrame frame = ring[(int) position & ring.length - 1];
            taken += frame.length();
            position++;
            frame.sent();
        }
    }

    /** The other branches. */
    Branch[] without(Branch[] all) {
        return Arrays.stream(all).filter(other -> other != this).toArray(Branch[]::new);
    }
}
