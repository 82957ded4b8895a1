package io.sluice.perf.report;

import io.sluice.messaging.driver.DriverThreading;
import java.util.Optional;

/**
 * Threads that need a core of their own all the time; threads that only send heartbeats sleep mostly and do not count.
 *
 * @param whose they are, for people
 * @param count how many
 */
public record BusyThreads(String whose, int count) {
    /**
     * Adds the threads of a media driver.
     *
     * @param whose all of them are, for people
     * @param clients busy threads besides
     * @param threading threading of the driver
     */
    public static BusyThreads withDriver(String whose, int clients, DriverThreading threading) {
        return new BusyThreads(whose, clients + threading.threads());
    }

    /**
     * A line for people if there are not cores enough.
     *
     * @param cores cores of this machine
     */
    public Optional<String> warning(int cores) {
        return count <= cores
                ? Optional.empty()
                : Optional.of("WARNING: " + whose + " are " + count + " busy threads on " + cores
                        + " cores: times include waiting for a core");
    }
}
