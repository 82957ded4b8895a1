package io.sluice.messaging;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.AgentTerminationException;
import org.agrona.concurrent.NanoClock;

/**
 * Notices within three seconds that the process of a media driver has ended. Silence alone does not show that: on a
 * loaded host the driver's thread may wait for a processor for as long, so Aeron waits for {@code
 * sluice.driver.timeout}. Where the process cannot be seen, in another container say, that decides alone.
 *
 * <p>For the thread of Aeron's client conductor. Allocates nothing while the driver shows life.
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
     * @param directory of the driver.
     * @param pulse     of the driver.
     * @param clock     monotonic.
     */
    DriverWatch(Path directory, DriverPulse pulse, NanoClock clock) {
        this.directory = directory;
        this.pulse = pulse;
        this.clock = clock;
        this.mark = ProcessMark.of(directory); // the directory may be gone when it is needed
        this.lookedNs = clock.nanoTime() - INTERVAL_NS;
    }

    /**
     * Looks for the process if the driver shows no life, twice a second at most.
     *
     * @throws AgentTerminationException if it has ended: so the conductor ends, and closes its links and inboxes.
     */
    void look() {
        if (!pulse.isMissed() || clock.nanoTime() - lookedNs < INTERVAL_NS) {
            return;
        }
        lookedNs = clock.nanoTime();
        mark = mark.isOfThisNamespace() ? mark : ProcessMark.of(directory); // a driver leaves it as it starts
        if (mark.isOfThisNamespace() && !mark.isAlive()) {
            throw new AgentTerminationException("its process " + mark.pid() + " has ended");
        }
    }
}
