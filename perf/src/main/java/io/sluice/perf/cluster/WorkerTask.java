package io.sluice.perf.cluster;

import io.sluice.consistency.worker.Worker;

/** The task of each worker in a measurement. */
public interface WorkerTask<T> {
    /**
     * Runs the task.
     *
     * @param worker     worker that has joined; the caller closes it afterwards
     * @param rendezvous rendezvous where all workers wait for one another and for the measuring thread
     */
    T train(Worker worker, Rendezvous rendezvous) throws InterruptedException;
}
