package io.sluice.consistency.node;

import io.sluice.messaging.Settings;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;

/** How a polling thread of a node waits while it is idle; users select it by name. */
enum IdleKind {
    /** Polls a few times, yields, then sleeps for longer and longer, at most 100 us. */
    BACKOFF,

    /** Yields its core to other threads and polls again. */
    YIELD,

    /** Keeps its core. It pays if every busy thread has a core of its own; otherwise it makes all latencies long. */
    SPIN;

    /** The kind that a property names, {@link #BACKOFF} if it is not set; refuses any other value. */
    static IdleKind configured(String property) {
        return Settings.constant(property, Settings.text(property, "backoff"), IdleKind.class);
    }

    /** A new strategy for one thread. */
    IdleStrategy newStrategy() {
        return switch (this) {
            case BACKOFF -> new BackoffIdleStrategy(10, 20, 1_000, 100_000);
            case YIELD -> new YieldingIdleStrategy();
            case SPIN -> new BusySpinIdleStrategy();
        };
    }
}
