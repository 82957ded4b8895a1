package io.sluice.consistency.terms;

import java.util.List;

/**
 * The workers that take part in each clock from a given one until another worker set replaces them.
 *
 * @param since first clock of which each of them computes an update, from 1
 * @param workers indices of the workers, ascending
 */
public record WorkerSet(long since, List<Integer> workers) {

    /** Copies the list. */
    public WorkerSet {
        workers = List.copyOf(workers);
    }

    /**
     * The number of workers.
     *
     * @return at least 1
     */
    public int size() {
        return workers.size();
    }

    /**
     * The rank of a worker among them, by which it may choose its part of the data.
     *
     * @param worker index of the worker
     * @return from 0; -1 if it is not in the set
     */
    public int rank(int worker) {
        return workers.indexOf(worker);
    }
}
