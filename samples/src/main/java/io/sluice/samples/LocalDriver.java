package io.sluice.samples;

import io.sluice.messaging.Driver;
import java.nio.file.Path;

/** A media driver within this process, for a host on which none runs. Closed with the node it serves. */
final class LocalDriver implements AutoCloseable {
    /**
     * Room for the logs of a few links: below that a log could end the process, with nothing said, when it is touched.
     */
    static final long LEAST_BYTES = 128 << 20;

    private final Driver driver;

    private LocalDriver(Driver driver) {
        this.driver = driver;
    }

    /**
     * Launches a driver, unless one runs in the directory already.
     *
     * @param directory where, or null for the default
     * @return the driver, or an empty holder
     */
    static LocalDriver unlessRunning(Path directory) {
        Driver.Context context = new Driver.Context().expectedBytes(LEAST_BYTES);
        if (directory != null) {
            context.directory(directory);
        }
        if (Driver.isActive(context.directory())) {
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
