package io.sluice.perf.cluster;

import io.sluice.consistency.worker.Worker;

/**
 * What each worker of a measurement does.
 *
 * @param <T> what it has seen
 */
public interface WorkerTask<T> {
    /**
     * Trains.
     *
     * @param worker     that has joined, and is closed behind this
     * @param rendezvous where all workers wait for one another and for the one that measures
     * @return what it has seen
     * @throws InterruptedException if interrupted
     */
    T train(Worker worker, Rendezvous rendezvous) throws InterruptedException;
}
