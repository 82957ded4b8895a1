package io.sluice.perf.cluster;

import io.sluice.consistency.worker.Worker;
import java.util.concurrent.TimeUnit;

/** Detects when the servers have received all pushes of a worker. */
public final class QuietLinks {
    private static final long LOOKS = 40;

    private QuietLinks() {}

    /**
     * Waits until a worker's links have taken nothing more for a while.
     *
     * @param worker  worker that pushes
     * @param quietNs how long; no less than what they have taken last may be on its way
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
