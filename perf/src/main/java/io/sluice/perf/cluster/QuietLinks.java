package io.sluice.perf.cluster;

import io.sluice.consistency.worker.Worker;
import java.util.concurrent.TimeUnit;

/** Detects when the servers have received all pushes from a worker. */
public final class QuietLinks {
    private static final long LOOKS = 40;

    private QuietLinks() {}

    /**
     * Waits until a worker's links have accepted no frame for a while.
     *
     * @param worker  worker that pushes
     * @param quietNs length of that time in nanoseconds, at least as long as frames may be in flight
     * @throws InterruptedException if interrupted
     */
    public static void await(Worker worker, long quietNs) throws InterruptedException {
        long bytes = worker.bytesPushed();
        long sinceNs = System.nanoTime();
        while (System.nanoTime() - sinceNs < quietNs) {
            TimeUnit.NANOSECONDS.sleep(quietNs / LOOKS);
            if (worker.bytesPushed() != bytes) {
                bytes = worker.bytesPushed();
                sinceNs = System.nanoTime();
            }
        }
    }
}
