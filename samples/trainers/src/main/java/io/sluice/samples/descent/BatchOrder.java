package io.sluice.samples.descent;

import io.sluice.consistency.terms.WorkerSet;
import java.util.List;

/** The order in which one worker takes the examples. */
public interface BatchOrder {
    /** Switches to the last of these worker sets. */
    void onWorkerSet(List<WorkerSet> workerSets);

    /**
     * The rows of a batch; the array is reused.
     *
     * @param clock clock of the batch, from 1
     * @param batch its number within the clock, from 0
     */
    int[] rows(long clock, int batch);
}
