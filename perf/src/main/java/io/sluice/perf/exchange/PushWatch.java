package io.sluice.perf.exchange;

import io.sluice.consistency.worker.Worker;
import io.sluice.perf.nodes.PollingThread;
import org.agrona.concurrent.SleepingIdleStrategy;

/** Records when a worker's links last accepted a frame, to about a millisecond. */
final class PushWatch implements AutoCloseable {
    private static final long LOOK_NS = 1_000_000;

    private final PollingThread thread;
    private long bytes;
    private volatile long lastNs = System.nanoTime();

    /**
     * Begins to watch a worker that has been started; its counters end with it, so the watch has to be closed before.
     */
    PushWatch(Worker worker) {
        bytes = worker.bytesPushed();
        thread = new PollingThread("push watch", new SleepingIdleStrategy(LOOK_NS), () -> look(worker.bytesPushed()));
    }

    private int look(long now) {
        if (now != bytes) {
            bytes = now;
            lastNs = System.nanoTime();
        }
        return 0;
    }

    /** The time of the last accepted frame, by {@link System#nanoTime}. */
    long lastNs() {
        return lastNs;
    }

    @Override
    public void close() {
        thread.close();
    }
}
