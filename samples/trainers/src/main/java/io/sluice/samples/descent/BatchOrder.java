package io.sluice.samples.descent;

import io.sluice.consistency.terms.WorkerSet;
import java.util.List;

/** The order in which one worker takes the examples. */
public interface BatchOrder {
    /** Continues with the last of these worker sets. */
    void onWorkerSet(List<WorkerSet> workerSets);

    /**
     * A batch; the array is used again.
     *
     * @param clock clock in which it is taken, from 1
     * @param batch its number within the clock, from 0
     */
    int[] rows(long clock, int batch);
}
