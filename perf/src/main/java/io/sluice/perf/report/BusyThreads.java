package io.sluice.perf.report;

import io.sluice.messaging.driver.DriverThreading;
import java.util.Optional;

/**
 * Threads that need a core of their own all the time; threads that only send heartbeats sleep mostly and do not count.
 *
 * @param whose owner of the threads, for people
 * @param count number of threads
 */
public record BusyThreads(String whose, int count) {
    /**
     * Adds the threads of a media driver.
     *
     * @param whose owner of all threads, for people
     * @param clients other busy threads
     * @param threading threading of the driver
     */
    public static BusyThreads withDriver(String whose, int clients, DriverThreading threading) {
        return new BusyThreads(whose, clients + threading.threads());
    }

    /**
     * A line for people if there are too few cores.
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
