package io.sluice.messaging;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.AgentTerminationException;
import org.agrona.concurrent.NanoClock;

/**
 * Detects within three seconds that the process of a media driver has ended. Silence alone is no proof, because on a
 * loaded host the driver's thread may wait equally long for a processor; so Aeron waits for
 * {@code sluice.driver.timeout}. If the process is not visible, as in another container, only that timeout counts.
 *
 * <p>For the thread of Aeron's client conductor. Allocates nothing while the driver's heartbeats arrive.
 */
final class DriverWatch {
    private static final long INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Path directory;
    private final DriverPulse pulse;
    private final NanoClock clock;
    private ProcessMark mark;
    private long lookedNs;

    /**
     * Begins to watch.
     *
     * @param directory directory of the driver.
     * @param pulse     pulse of the driver.
     * @param clock     monotonic.
     */
    DriverWatch(Path directory, DriverPulse pulse, NanoClock clock) {
        this.directory = directory;
        this.pulse = pulse;
        this.clock = clock;
        this.mark = ProcessMark.of(directory); // read now: the directory may be removed later
        this.lookedNs = clock.nanoTime() - INTERVAL_NS;
    }

    /**
     * Checks that the process exists if the driver's heartbeat is late, twice a second at most.
     *
     * @throws AgentTerminationException if the process has ended, so that the conductor ends and closes its links and
     *     inboxes.
     */
    void look() {
        if (!pulse.isMissed() || clock.nanoTime() - lookedNs < INTERVAL_NS) {
            return;
        }
        lookedNs = clock.nanoTime();
        mark = mark.isOfThisNamespace() ? mark : ProcessMark.of(directory); // a driver writes the mark when it starts
        if (mark.isOfThisNamespace() && !mark.isAlive()) {
            throw new AgentTerminationException("its process " + mark.pid() + " has ended");
        }
    }
}
