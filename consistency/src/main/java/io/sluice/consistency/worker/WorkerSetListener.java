package io.sluice.consistency.worker;

import io.sluice.consistency.terms.WorkerSet;
import java.util.List;

/**
 * Is told who takes part, so that a trainer can take its part of the data: by a rule that depends on nothing but what
 * it is told here, which is the same at all workers, parts neither overlap nor lack.
 */
@FunctionalInterface
public interface WorkerSetListener {
    /**
     * Called on the trainer's thread, from {@link Worker#start} and {@link Worker#clock}, before the first clock of
     * which another worker set is to compute updates; the first time with that of the clock with which this worker
     * begins.
     *
     * @param workerSets all that there were, the one in question last: a worker that has come while the job runs finds
     *                   here what was before it
     */
    void onWorkerSet(List<WorkerSet> workerSets);
}
