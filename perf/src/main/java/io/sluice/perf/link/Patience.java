package io.sluice.perf.link;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/**
 * Waits as the idle strategy says, and not for ever: a stream that stands still is an error. One that stands still
 * because its transport has ended is another: whoever polls a closed stream is told that there is nothing, and sees no
 * end. For one thread.
 */
final class Patience {
    static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(10);

    /** Looks at the clock once in so many idle turns; a power of two. */
    private static final int LOOK_EVERY = 1 << 10;

    private final String what;
    private final IdleStrategy idle;
    private final NanoClock clock;
    private final Supplier<RuntimeException> end;
    private long idleTurns;
    private long sinceNs;

    /**
     * Makes one.
     *
     * @param what is waited for, for the error
     * @param end  why there is nothing to wait for any more; gives {@code null} while there is
     */
    Patience(String what, IdleStrategy idle, NanoClock clock, Supplier<RuntimeException> end) {
        this.what = what;
        this.idle = idle;
        this.clock = clock;
        this.end = end;
    }

    /**
     * Waits a little if nothing was done.
     *
     * @param work anything above 0 if something was
     * @throws IllegalStateException if nothing was for {@link #LIMIT_NS}
     * @throws RuntimeException      what there was no use in waiting for
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
            return;
        }
        RuntimeException reason = end.get();
        if (reason != null) {
            throw reason;
        }
        if (now - sinceNs > LIMIT_NS) {
            throw new IllegalStateException(
                    "waited " + TimeUnit.NANOSECONDS.toSeconds(now - sinceNs) + " s for " + what);
        }
    }
}
