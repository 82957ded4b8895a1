package io.sluice.consistency.worker;

import io.sluice.consistency.terms.WorkerSet;
import java.util.List;

/**
 * Receives the worker sets, so that a trainer can choose its part of the data. All workers receive the same sets: a
 * rule that depends on them alone yields parts without overlaps and gaps.
 */
@FunctionalInterface
public interface WorkerSetListener {
    /**
     * Called on the trainer's thread, from {@link Worker#start} and {@link Worker#clock}, before the first clock of
     * each worker set; the first call is for this worker's first clock.
     *
     * @param workerSets all sets so far, the last one being that of the next clock; a worker that joins a running job
     *                   also receives the earlier ones
     */
    void onWorkerSet(List<WorkerSet> workerSets);
}
