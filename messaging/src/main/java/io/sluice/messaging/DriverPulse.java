package io.sluice.messaging;

import io.sluice.messaging.counters.Counters;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.EpochClock;

/** Signs of life of a media driver, of which it leaves one a second where its clients find it. */
final class DriverPulse {
    /** Between two of them lies a second, and what the driver's thread waits for a processor. */
    private static final long MISSED_MS = TimeUnit.SECONDS.toMillis(1) * 3 / 2;

    private final Counters counters;
    private final EpochClock clock;

    DriverPulse(Counters counters, EpochClock clock) {
        this.counters = counters;
        this.clock = clock;
    }

    /** Whether the next one is late. */
    boolean isMissed() {
        return clock.time() - counters.driverHeartbeatMs() > MISSED_MS;
    }
}
