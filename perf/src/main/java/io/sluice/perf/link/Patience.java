package io.sluice.perf.link;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/**
 * Waits with an idle strategy and a limit: a stream without progress is an error. A closed stream reports no end to its
 * poller, so the end of the transport is checked separately. Not thread-safe.
 */
final class Patience {
    static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(10);

    /** Number of idle calls between two readings of the clock; a power of two. */
    private static final int LOOK_EVERY = 1 << 10;

    private final String what;
    private final IdleStrategy idle;
    private final NanoClock clock;
    private final Supplier<RuntimeException> end;
    private long idleTurns;
    private long sinceNs;

    /** Creates a wait; {@code end} supplies the reason why waiting is futile, and {@code null} while it is not. */
    Patience(String what, IdleStrategy idle, NanoClock clock, Supplier<RuntimeException> end) {
        this.what = what;
        this.idle = idle;
        this.clock = clock;
        this.end = end;
    }

    /**
     * Idles if no work was done.
     *
     * @throws IllegalStateException if no work was done for {@link #LIMIT_NS}
     * @throws RuntimeException      the reason why waiting is futile
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
