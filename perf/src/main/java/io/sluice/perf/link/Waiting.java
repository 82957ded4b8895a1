package io.sluice.perf.link;

import java.util.Locale;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;

/** Idle strategies of sender and receiver; the same for every stack. */
enum Waiting {
    /** Yields the core and polls again. */
    YIELD,
    /** Spins, yields, then sleeps for increasing times, as the nodes of a cluster do. */
    BACKOFF,
    /** Spins. */
    SPIN;

    private static final long LEAST_PARK_NS = 1_000;
    private static final long MOST_PARK_NS = 100_000;

    /** A strategy for one thread. */
    IdleStrategy strategy() {
        return switch (this) {
            case YIELD -> new YieldingIdleStrategy();
            case BACKOFF -> new BackoffIdleStrategy(10, 20, LEAST_PARK_NS, MOST_PARK_NS);
            case SPIN -> new BusySpinIdleStrategy();
        };
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
