package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.driver.ChannelSettings;
import io.sluice.messaging.driver.Driver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SystemNanoClock;

/** A driver of the test's own with a sender and a receiver connected to it. */
final class Rig implements AutoCloseable {
    static final int STREAM = 1001;
    static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);

    final List<Throwable> errors = new CopyOnWriteArrayList<>();
    final Channels channels;
    final Driver driver;
    final Transport sender;
    final Transport receiver;

    Rig(ChannelSettings lengths) {
        this(lengths, new Driver.Context());
    }

    Rig(ChannelSettings lengths, Driver.Context context) {
        this(lengths, context, new Transport.Context());
    }

    Rig(ChannelSettings lengths, Driver.Context context, Transport.Context receiving) {
        channels = new Channels(lengths);
        driver = Driver.launch(
                context.directory(newDirectory()).channels(lengths).errorHandler(errors::add));
        sender = connect();
        receiver = connect(receiving);
    }

    static Path newDirectory() {
        Path memory = Path.of("/dev/shm");
        Path parent = Files.isWritable(memory) ? memory : Path.of(System.getProperty("java.io.tmpdir"));
        return parent.resolve("sluice-test-" + UUID.randomUUID());
    }

    /** Short terms, so that a test wraps around many times. */
    static ChannelSettings shortTerms() {
        return new ChannelSettings().ipcTermLength(2 << 20).udpTermLength(2 << 20);
    }

    Transport connect() {
        return connect(new Transport.Context());
    }

    private Transport connect(Transport.Context context) {
        return Transport.connect(
                context.directory(driver.directory()).channels(channels).errorHandler(errors::add));
    }

    Inbox inbox(String media, FrameHandler handler) {
        return media.equals("ipc")
                ? receiver.openIpcInbox("test", STREAM, Frames.validator(), handler)
                : receiver.openUdpInbox("test", new Endpoint("127.0.0.1", 0), STREAM, Frames.validator(), handler);
    }

    /** Opens a link that accepts frames: the driver makes room only after it has reported a receiver. */
    Link link(Inbox inbox) {
        Endpoint endpoint = inbox.endpoint();
        String channel = endpoint == null ? channels.ipc() : channels.udpTo(endpoint);
        Link link = sender.openLink("test", channel, STREAM);
        link.awaitConnected(PATIENCE_NS, SystemNanoClock.INSTANCE, new BackoffIdleStrategy());
        until(() -> link.room() > 0, () -> {});
        return link;
    }

    /** Runs a step until the condition holds. */
    static void until(BooleanSupplier condition, Runnable step) {
        IdleStrategy idle = new BackoffIdleStrategy();
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - start < PATIENCE_NS, "the condition was not met in time");
            step.run();
            idle.idle(Thread.interrupted() ? fail() : 0);
        }
    }

    /** Waits until assertions hold: counters are published a few milliseconds after they were asked for or changed. */
    static void eventually(Runnable assertions) {
        Throwable[] failed = new Throwable[1];
        try {
            until(
                    () -> {
                        try {
                            assertions.run();
                            return true;
                        } catch (AssertionError | NoSuchElementException e) {
                            failed[0] = e;
                            return false;
                        }
                    },
                    () -> {});
        } catch (AssertionError e) {
            if (failed[0] != null) {
                e.addSuppressed(failed[0]);
            }
            throw e;
        }
    }

    private static int fail() {
        throw new AssertionError("interrupted");
    }

    @Override
    public void close() {
        sender.close();
        receiver.close();
        driver.close();
        assertEquals(false, Files.exists(driver.directory()), "the driver's directory is removed");
    }
}
