package io.sluice.consistency.replica;

import io.aeron.cluster.service.ClusterClock;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * A clock that starts at the time of day and then counts elapsed time only, in milliseconds since 1970. Aeron Cluster
 * decides by it whether members are alive and the leader is silent. Aeron compares times of day, so if the system clock
 * were set forward by seconds, each member would conclude that all others had died. All parts and clients of one
 * process must use the same clock. Any thread may read it.
 */
final class SteadyClock implements EpochClock, ClusterClock {
    static final SteadyClock INSTANCE = new SteadyClock(SystemEpochClock.INSTANCE, SystemNanoClock.INSTANCE);

    private static final long NS_PER_MS = 1_000_000;

    private final NanoClock clock;
    private final long startMs;
    private final long startNs;

    /**
     * Starts the clock.
     *
     * @param timeOfDay read once
     * @param clock     monotonic
     */
    SteadyClock(EpochClock timeOfDay, NanoClock clock) {
        this.clock = clock;
        this.startMs = timeOfDay.time();
        this.startNs = clock.nanoTime();
    }

    @Override
    public long time() {
        return startMs + (clock.nanoTime() - startNs) / NS_PER_MS;
    }
}
