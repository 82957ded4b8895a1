package io.sluice.cli;

import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.driver.Driver;
import java.nio.file.Path;

/**
 * A media driver within this process, for a host on which no media driver runs. It is closed with the node that it
 * serves.
 */
final class LocalDriver implements AutoCloseable {
    /** Minimum space for logs, enough for those of a few links: with less, nodes would be refused one after another. */
    static final long LEAST_BYTES = 128 << 20;

    private final Driver driver;

    private LocalDriver(Driver driver) {
        this.driver = driver;
    }

    /**
     * Launches a driver in a process's directory, unless one runs there already. A child process uses its parent's
     * driver and launches none: if that driver has died, a new one would occupy the directory of its successor.
     *
     * @param process options of the process
     * @return the driver, or an empty holder
     */
    static LocalDriver unlessRunning(ProcessOptions process) {
        Path directory = process.aeronDirectory();
        Driver.Context context = new Driver.Context().expectedBytes(LEAST_BYTES);
        if (directory != null) {
            context.directory(directory);
        }
        if (process.attached() || Driver.isActive(context.directory())) {
            return new LocalDriver(null);
        }
        try {
            Driver driver = Driver.launch(context);
            driver.warnings().forEach(warning -> System.err.println("sluice: " + warning));
            return new LocalDriver(driver);
        } catch (MessagingException e) {
            if (Driver.isActive(context.directory())) {
                return new LocalDriver(null); // another process has launched one at the same time
            }
            throw e;
        }
    }

    @Override
    public void close() {
        if (driver != null) {
            driver.close();
        }
    }
}
