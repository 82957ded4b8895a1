package io.sluice.messaging.idle;

import io.aeron.driver.MediaDriver;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.function.BooleanSupplier;

/** Has the threads of a media driver, of which there are one to three, wait for its bell. */
public final class DriverWaits implements AutoCloseable {
    /** What is due by the clock is late by at most this. */
    private static final long LONGEST_NS = 1_000_000;

    private static final BooleanSupplier NEVER = () -> false;

    private final DriverIdle all;
    private final DriverIdle network;
    private final DriverIdle sender;
    private final DriverIdle receiver;
    private final DriverIdle conductor;
    private Bell bell = Bell.NONE;
    private String reason;

    /**
     * Makes the strategies of the threads of a driver.
     *
     * @param sending   sockets of publications
     * @param receiving sockets of subscriptions
     * @param isPacing  whether a publication waits for its turn
     * @param parkNs    longest sleep while one does, and of threads that look in intervals
     */
    public DriverWaits(Sockets sending, Sockets receiving, BooleanSupplier isPacing, long parkNs) {
        all = new DriverIdle(List.of(sending, receiving), true, isPacing, parkNs, LONGEST_NS);
        network = new DriverIdle(List.of(sending, receiving), true, isPacing, parkNs, LONGEST_NS);
        sender = new DriverIdle(List.of(sending), true, isPacing, parkNs, LONGEST_NS);
        receiver = new DriverIdle(List.of(receiving), false, NEVER, parkNs, LONGEST_NS);
        conductor = new DriverIdle(List.of(), false, NEVER, parkNs, LONGEST_NS);
    }

    /**
     * Sets how the threads wait. The bell is made together with the first of them: before, Aeron would remove its
     * files, and later, clients that are connected already would not see it.
     *
     * @param driver    settings to complete
     * @param directory of the driver
     * @param known     whether the driver knows its sockets
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
        driver.sharedIdleStrategy(all)
                .sharedNetworkIdleStrategy(network)
                .senderIdleStrategy(sender)
                .receiverIdleStrategy(receiver)
                .conductorIdleStrategy(conductor)
                .sharedThreadFactory(first)
                .conductorThreadFactory(first);
    }

    private void start(Path directory) {
        try {
            bell = Bell.create(directory);
        } catch (IOException e) {
            reason = e.getMessage();
        }
        for (DriverIdle idle : List.of(all, network, sender, receiver, conductor)) {
            idle.start(bell);
        }
    }

    /** For the user: why there is no bell; null if there is one, or none was wanted. */
    public String warning() {
        return reason == null ? null : "idle threads look in short intervals instead of waiting for a bell: " + reason;
    }

    /** Frees the bell. The driver must be closed. */
    @Override
    public void close() {
        bell.close();
    }
}
