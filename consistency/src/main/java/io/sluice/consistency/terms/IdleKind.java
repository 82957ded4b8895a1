package io.sluice.consistency.terms;

import io.sluice.messaging.Settings;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;

/** How a polling thread of a node waits while it is idle; users select it by name. */
public enum IdleKind implements Choice {
    /** Polls a few times, yields, then sleeps for longer and longer, at most 100 us. */
    BACKOFF,

    /** Yields its core to other threads and polls again. */
    YIELD,

    /** Keeps its core. It pays if every busy thread has a core of its own; otherwise it makes all latencies long. */
    SPIN;

    /**
     * Reads a property.
     *
     * @param property property that holds a name
     * @return the kind; {@link #BACKOFF} if the property is not set
     * @throws IllegalArgumentException if the property has any other value
     */
    public static IdleKind configured(String property) {
        return Settings.constant(property, Settings.text(property, BACKOFF.configName()), IdleKind.class);
    }

    /**
     * Makes a strategy.
     *
     * @return a strategy for one thread
     */
    public IdleStrategy newStrategy() {
        return switch (this) {
            case BACKOFF -> new BackoffIdleStrategy(10, 20, 1_000, 100_000);
            case YIELD -> new YieldingIdleStrategy();
            case SPIN -> new BusySpinIdleStrategy();
        };
    }
}
