package io.sluice.perf.exchange;

import io.sluice.consistency.worker.Worker;
import java.util.concurrent.locks.LockSupport;

/** Records when a worker's links last accepted a frame, to about a millisecond. */
final class PushWatch {
    private static final long LOOK_NS = 1_000_000;

    private final Worker worker;
    private final Thread thread;
    private volatile long lastNs = System.nanoTime();
    private volatile boolean closed;

    /** Begins to watch a worker that has been started. */
    PushWatch(Worker worker) {
        this.worker = worker;
        thread = Thread.ofPlatform().daemon().name("push watch").start(this::watch);
    }

    private void watch() {
        long bytes = worker.bytesPushed();
        while (!closed) {
            LockSupport.parkNanos(LOOK_NS);
            long now = worker.bytesPushed();
            if (now != bytes) {
                bytes = now;
                lastNs = System.nanoTime();
            }
        }
    }

    /** The time of the last accepted frame, by {@link System#nanoTime}. */
    long lastNs() {
        return lastNs;
    }

    /** Ends its thread, and waits for it: its counters end with the worker. */
    void end() {
        closed = true;
        boolean interrupted = Thread.interrupted();
        try {
            thread.join();
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
