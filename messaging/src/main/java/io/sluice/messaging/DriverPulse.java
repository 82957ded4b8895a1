package io.sluice.messaging;

import io.sluice.messaging.counters.Counters;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.EpochClock;

/** The heartbeats of a media driver, which it writes once a second where its clients can read them. */
final class DriverPulse {
    /**
     * Time after which a heartbeat is late: heartbeats are a second apart, plus the time that the driver's thread waits
     * for a processor.
     */
    private static final long MISSED_MS = TimeUnit.SECONDS.toMillis(1) * 3 / 2;

    private final Counters counters;
    private final EpochClock clock;

    DriverPulse(Counters counters, EpochClock clock) {
        this.counters = counters;
        this.clock = clock;
    }

    /** Whether the next heartbeat is late. */
    boolean isMissed() {
        return clock.time() - counters.driverHeartbeatMs() > MISSED_MS;
    }
}
