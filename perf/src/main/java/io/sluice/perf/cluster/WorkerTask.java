package io.sluice.perf.cluster;

import io.sluice.consistency.worker.Worker;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The task of each worker in a measurement. */
@FunctionalInterface
public interface WorkerTask<T> {
    /** The time between two calls of {@link Worker#work} in {@link #compute}. */
    long WORK_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /**
     * Runs the task.
     *
     * @param worker     worker that has joined; the caller closes it afterwards
     * @param rendezvous rendezvous where all workers wait for one another and for the measuring thread
     */
    T train(Worker worker, Rendezvous rendezvous) throws InterruptedException;

    /** Takes the time of computing like a thread that feeds an accelerator: sleeps, and works every millisecond. */
    static void compute(long ns, Runnable work) {
        long endNs = System.nanoTime() + ns;
        for (long left = ns; left > 0; left = endNs - System.nanoTime()) {
            LockSupport.parkNanos(Math.min(left, WORK_NS));
            work.run();
        }
    }
}
