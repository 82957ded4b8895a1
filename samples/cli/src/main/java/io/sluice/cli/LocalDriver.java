package io.sluice.cli;

import io.sluice.messaging.driver.Driver;
import java.nio.file.Path;

/** A media driver within this process, for a host on which none runs. Closed with the node it serves. */
final class LocalDriver implements AutoCloseable {
    /** Room for the logs of a few links: with less, nodes would be refused one after the other. */
    static final long LEAST_BYTES = 128 << 20;

    private final Driver driver;

    private LocalDriver(Driver driver) {
        this.driver = driver;
    }

    /**
     * Launches a driver in a process's directory, unless one runs there already. A child process uses its parent's and
     * launches none: if that has died, one of the child's own would keep the directory from the next.
     *
     * @param process process whose driver it is to be
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
        Driver driver = Driver.launch(context);
        driver.warnings().forEach(warning -> System.err.println("sluice: " + warning));
        return new LocalDriver(driver);
    }

    @Override
    public void close() {
        if (driver != null) {
            driver.close();
        }
    }
}
