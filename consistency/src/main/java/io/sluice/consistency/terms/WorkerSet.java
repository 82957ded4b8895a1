package io.sluice.consistency.terms;

import java.util.List;

/**
 * The workers that take part in each clock from one on, until another worker set replaces them.
 *
 * @param since   the first clock of which each of them computes an update, from 1
 * @param workers their indices, ascending
 */
public record WorkerSet(long since, List<Integer> workers) {

    /** Copies the list. */
    public WorkerSet {
        workers = List.copyOf(workers);
    }

    /**
     * How many they are.
     *
     * @return at least 1
     */
    public int size() {
        return workers.size();
    }

    /**
     * Which of them a worker is, by which it may choose its part of the data.
     *
     * @param worker index of the worker
     * @return from 0; -1 if it is none of them
     */
    public int rank(int worker) {
        return workers.indexOf(worker);
    }
}
