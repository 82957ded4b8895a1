package io.sluice.spark;

import io.aeron.driver.Configuration;
import io.sluice.messaging.JvmAccess;
import io.sluice.messaging.Routes;
import io.sluice.messaging.RunningDriver;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.driver.Driver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.LoggerFactory;

/** The media driver of this executor, which all its tasks share, those of later jobs included. */
final class ExecutorDriver {
    /** Ports of an executor: that of the coordinator, if it is here, and those of nodes. */
    private static final int PORTS = 32;

    private static final int MAX_PORT = 65_535;

    private static final Pattern RANGE = Pattern.compile("(\\d{1,5})-(\\d{1,5})");
    private static final String PREFIX = "sluice-spark-";

    private static Driver driver;

    /** Keeps other executors of this host from the ports; null if the system chooses ports. */
    private static ServerSocket reservation;

    private ExecutorDriver() {}

    /**
     * Starts the driver at the first call; the end of the executor closes it. Before, it removes what the drivers of
     * killed executors have left.
     *
     * @param host  address of this executor
     * @param range ports {@code FIRST-LAST} of which the nodes of this executor take some; empty for any
     * @throws MessagingException if the driver cannot start, or there are no ports
     */
    static synchronized void start(String host, String range) {
        JvmAccess.require(); // before any class of Agrona
        if (null == driver) {
            reserve(host, range);
            Driver.Context context = new Driver.Context();
            Path own = context.directory()
                    .resolveSibling(PREFIX + ProcessHandle.current().pid());
            RunningDriver.removeStale(own.getParent(), PREFIX);
            driver = Driver.launch(context.directory(own).closeOnShutdown(true));
            driver.warnings().forEach(LoggerFactory.getLogger(SluiceSpark.class)::warn);
        }
    }

    private static void reserve(String host, String range) {
        if (range.isEmpty() || null != reservation) {
            return;
        }
        Matcher ports = RANGE.matcher(range);
        if (!ports.matches()
                || Integer.parseInt(ports.group(2)) > MAX_PORT
                || Integer.parseInt(ports.group(1)) > Integer.parseInt(ports.group(2))) {
            throw new MessagingException(SluiceSpark.PORTS + " is '" + range
                    + "', expected the first and the last of some ports, such as 40000-40999");
        }
        int last = Integer.parseInt(ports.group(2));
        for (int first = Integer.parseInt(ports.group(1)); first + PORTS - 1 <= last; first += PORTS) {
            try {
                reservation = new ServerSocket(first, 1, InetAddress.getByName(host));
                System.setProperty(
                        Configuration.RECEIVER_WILDCARD_PORT_RANGE_PROP_NAME, (first + 1) + " " + (first + PORTS - 1));
                return;
            } catch (IOException e) {
                LoggerFactory.getLogger(SluiceSpark.class)
                        .info("ports from {} on are taken: {}", first, e.getMessage());
            }
        }
        throw new MessagingException(SluiceSpark.PORTS + " is " + range + ", expected " + PORTS
                + " ports for each executor of a host: other processes have them");
    }

    /** Directory of the driver, which has been started. */
    static synchronized Path directory() {
        return driver.directory();
    }

    /** An address for a coordinator. */
    static synchronized Endpoint coordinator(String host) {
        Endpoint any = new Endpoint(host, 0);
        return any.withPort(null == reservation ? Routes.freePort(any) : reservation.getLocalPort());
    }
}
