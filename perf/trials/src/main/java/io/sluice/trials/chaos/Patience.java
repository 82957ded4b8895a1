package io.sluice.trials.chaos;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.agrona.concurrent.NanoClock;

/**
 * How long a trial waits for processes on its own machine. Time in which the trial itself was not scheduled does not
 * count (decision 7 applies the same rule to nodes): if the whole machine stalls, no process can make progress.
 *
 * <p>For one thread, which calls {@link #isOver()} every few milliseconds.
 */
final class Patience {
    /** Maximum time between two calls that counts. */
    private static final long MOST_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final NanoClock clock;
    private final LongSupplier limitMs;
    private long askedNs;
    private long waitedNs;

    /**
     * Starts now.
     *
     * @param limitMs limit in milliseconds, read at each call because it may follow the load of the host
     * @param clock   monotonic time
     */
    Patience(LongSupplier limitMs, NanoClock clock) {
        this.clock = clock;
        this.limitMs = limitMs;
        this.askedNs = clock.nanoTime();
    }

    /** Whether the time is over. */
    boolean isOver() {
        long nowNs = clock.nanoTime();
        waitedNs += Math.min(nowNs - askedNs, MOST_NS);
        askedNs = nowNs;
        return waitedNs > TimeUnit.MILLISECONDS.toNanos(limitMs.getAsLong());
    }
}
