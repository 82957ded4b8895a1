package io.sluice.perf.nodes;

import java.util.function.IntSupplier;
import org.agrona.concurrent.IdleStrategy;

/** A thread that polls until it is closed; it idles after a poll without work. */
public final class PollingThread implements AutoCloseable {
    private static final int JOIN_MS = 5_000;

    private final Thread thread;
    private volatile boolean closed;
    private volatile RuntimeException failure;

    /**
     * Starts the thread.
     *
     * @param poll returns the amount of work done
     */
    public PollingThread(String name, IdleStrategy idle, IntSupplier poll) {
        thread = Thread.ofPlatform().daemon().name(name).start(() -> {
            try {
                while (!closed) {
                    idle.idle(poll.getAsInt());
                }
            } catch (RuntimeException e) {
                failure = e;
            }
        });
    }

    /** Throws the exception that ended the thread, if any. */
    public void requireSound() {
        if (failure != null) {
            throw failure;
        }
    }

    /** Ends the thread and waits for its end, also if interrupted before. */
    @Override
    public void close() {
        closed = true;
        join(thread, JOIN_MS);
    }

    /** Waits for the end of a thread, also if interrupted before. */
    public static void join(Thread thread, long ms) {
        boolean interrupted = Thread.interrupted();
        try {
            thread.join(ms);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
