package io.sluice.messaging.idle;

import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.function.BooleanSupplier;

/**
 * Creates the idle strategies of a media driver's threads (one to three): an idle thread sleeps until the driver's
 * {@link Bell} wakes it.
 */
public final class DriverWaits implements AutoCloseable {
    /** Maximum time by which work that the clock makes due is late. */
    private static final long LONGEST_NS = 1_000_000;

    private final Sockets sending;
    private final Sockets receiving;
    private final BooleanSupplier isPacing;
    private final long parkNs;
    private final List<DriverIdle> idles = new ArrayList<>();
    private Bell bell = Bell.NONE;
    private String reason;

    /**
     * Prepares the waits of a driver.
     *
     * @param sending   sockets of publications
     * @param receiving sockets of subscriptions
     * @param isPacing  whether a publication waits for its turn
     * @param parkNs    longest sleep while a publication waits, and of threads that poll for work at intervals
     */
    public DriverWaits(Sockets sending, Sockets receiving, BooleanSupplier isPacing, long parkNs) {
        this.sending = sending;
        this.receiving = receiving;
        this.isPacing = isPacing;
        this.parkNs = parkNs;
    }

    /**
     * Sets how the threads wait. The bell is created together with the first of them: before, Aeron would remove its
     * files, and later, clients that are already connected would not use it.
     *
     * @param driver    settings to complete, the division among threads included
     * @param directory of the driver
     * @param known     whether the driver has the descriptors of its sockets
     */
    public void applyTo(MediaDriver.Context driver, Path directory, boolean known) {
        if (!known) {
            reason = "it needs batches of datagrams";
            return;
        }
        ThreadFactory first = task -> {
            start(directory);
            return new Thread(task);
        };
        ThreadingMode mode = driver.threadingMode();
        if (mode == ThreadingMode.SHARED) {
            driver.sharedIdleStrategy(idle(true, sending, receiving)).sharedThreadFactory(first);
            return;
        }
        driver.conductorIdleStrategy(idle(false)).conductorThreadFactory(first);
        if (mode == ThreadingMode.SHARED_NETWORK) {
            driver.sharedNetworkIdleStrategy(idle(true, sending, receiving));
        } else {
            driver.senderIdleStrategy(idle(true, sending)).receiverIdleStrategy(idle(false, receiving));
        }
    }

    private DriverIdle idle(boolean sends, Sockets... sockets) {
        DriverIdle idle = new DriverIdle(List.of(sockets), sends, isPacing, parkNs, LONGEST_NS);
        idles.add(idle);
        return idle;
    }

    private void start(Path directory) {
        try {
            bell = Bell.create(directory);
        } catch (IOException e) {
            reason = e.getMessage();
        }
        idles.forEach(idle -> idle.start(bell));
    }

    /** A sentence for the user on why there is no bell; null if there is one, or none was requested. */
    public String warning() {
        return reason == null
                ? null
                : "idle threads poll at short intervals instead of sleeping until they are woken: " + reason;
    }

    /** Frees the bell. The driver must be closed. */
    @Override
    public void close() {
        bell.close();
    }
}
