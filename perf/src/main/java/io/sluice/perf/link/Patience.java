package io.sluice.perf.link;

import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/** Waits as the idle strategy says, and not for ever: a stream that stands still is an error. For one thread. */
final class Patience {
    static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(10);

    /** Looks at the clock once in so many idle turns; a power of two. */
    private static final int LOOK_EVERY = 1 << 10;

    private final String what;
    private final IdleStrategy idle;
    private final NanoClock clock;
    private long idleTurns;
    private long sinceNs;

    /**
     * Makes one.
     *
     * @param what is waited for, for the error
     */
    Patience(String what, IdleStrategy idle, NanoClock clock) {
        this.what = what;
        this.idle = idle;
        this.clock = clock;
    }

    /**
     * Waits a little if nothing was done.
     *
     * @param work anything above 0 if something was
     * @throws IllegalStateException if nothing was for {@link #LIMIT_NS}
     */
    void after(int work) {
        if (work > 0) {
            if (idleTurns > 0) {
                idleTurns = 0;
                idle.reset();
            }
            return;
        }
        idle.idle();
        idleTurns++;
        if (idleTurns % LOOK_EVERY == 1) {
            look();
        }
    }

    private void look() {
        long now = clock.nanoTime();
        if (idleTurns == 1) {
            sinceNs = now;
        } else if (now - sinceNs > LIMIT_NS) {
            throw new IllegalStateException(
                    "waited " + TimeUnit.NANOSECONDS.toSeconds(now - sinceNs) + " s for " + what);
        }
    }
}
