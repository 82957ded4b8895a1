package io.sluice.trials.chaos;

import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.NanoClock;

/**
 * How long a trial waits for processes of its own machine. Time in which the trial itself was held up does not count
 * (decision 7 has it so for nodes): where the whole machine stood, nobody else could do anything either.
 *
 * <p>For one thread, which has to ask every few milliseconds.
 */
final class Patience {
    /** More than that between two questions is none of those who are waited for. */
    private static final long MOST_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final NanoClock clock;
    private final long limitNs;
    private long askedNs;
    private long waitedNs;

    /**
     * From now on.
     *
     * @param limitMs in milliseconds
     * @param clock   that measures it
     */
    Patience(long limitMs, NanoClock clock) {
        this.clock = clock;
        this.limitNs = TimeUnit.MILLISECONDS.toNanos(limitMs);
        this.askedNs = clock.nanoTime();
    }

    /** Whether it is at an end. */
    boolean isOver() {
        long nowNs = clock.nanoTime();
        waitedNs += Math.min(nowNs - askedNs, MOST_NS);
        askedNs = nowNs;
        return waitedNs > limitNs;
    }
}
