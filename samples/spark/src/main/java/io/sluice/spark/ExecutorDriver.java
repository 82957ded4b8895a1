package io.sluice.spark;

import io.sluice.messaging.JvmAccess;
import io.sluice.messaging.RunningDriver;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.driver.Driver;
import java.nio.file.Path;
import org.slf4j.LoggerFactory;

/** The media driver of this executor. All tasks of the executor share it, including tasks of later jobs. */
final class ExecutorDriver {
    private static final String PREFIX = "sluice-spark-";

    private static Driver driver;

    private ExecutorDriver() {}

    /**
     * Starts the driver at the first call; the end of the executor closes it. Before, it removes what the drivers of
     * killed executors have left.
     *
     * @return its directory
     * @throws MessagingException if it cannot start
     */
    static synchronized Path directory() {
        JvmAccess.require(); // before any class of Agrona
        if (null == driver) {
            Driver.Context context = new Driver.Context();
            Path own = context.directory()
                    .resolveSibling(PREFIX + ProcessHandle.current().pid());
            RunningDriver.removeStale(own.getParent(), PREFIX);
            driver = Driver.launch(context.directory(own).closeOnShutdown(true));
            driver.warnings().forEach(LoggerFactory.getLogger(SluiceSpark.class)::warn);
        }
        return driver.directory();
    }
}
