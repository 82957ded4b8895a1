package io.sluice.messaging;

import io.aeron.Aeron;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.ringbuffer.RingBuffer;

/** Signs of life of a media driver, of which it leaves one a second where its clients find it. */
final class DriverPulse {
    /** Between two of them lies a second, and what the driver's thread waits for a processor. */
    private static final long MISSED_MS = TimeUnit.SECONDS.toMillis(1) * 3 / 2;

    private final RingBuffer commands;
    private final EpochClock clock;

    DriverPulse(Aeron aeron) {
        this.commands = aeron.context().toDriverBuffer();
        this.clock = aeron.context().epochClock();
    }

    /** Whether the next one is late. */
    boolean isMissed() {
        return clock.time() - commands.consumerHeartbeatTime() > MISSED_MS;
    }
}
