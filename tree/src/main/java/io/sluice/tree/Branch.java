package io.sluice.tree;

import io.sluice.messaging.Link;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.SystemNanoClock;

/** One outgoing link of a {@link FanOut}: how far it has come. */
final class Branch {
    /**
     * For how long a path takes nothing whose receiver must compute, or be gone: the time in which a link of 10 Mbit/s
     * sends a frame of 64 KiB.
     */
    static final long STAND_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Outlet outlet;

    /** Number of the next frame to send. */
    private long position;

    /** Bytes of all frames that it has taken, or that had been sealed before it came. */
    private long taken;

    private boolean givenUp;

    /** Whether it was skipped, and has taken nothing since. */
    private boolean aside;

    Branch(Link link, long position, long taken) {
        this.outlet = new Outlet(link, SystemNanoClock.INSTANCE);
        this.position = position;
        this.taken = taken;
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

    boolean isGivenUp() {
        return givenUp;
    }

    void giveUp() {
        givenUp = true;
    }

    /** Nobody looks on any more, either. */
    void close() {
        givenUp = true;
        outlet.close();
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

    /** Whether a frame could go now. */
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
        position++;
        frame.sent();
        return true;
    }

    /** Goes past a frame that nobody will take. */
    void skip(OutFrame frame) {
        taken += frame.length();
        position++;
        frame.sent();
    }
}
