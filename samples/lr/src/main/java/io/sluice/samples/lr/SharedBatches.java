package io.sluice.samples.lr;

import io.sluice.consistency.terms.WorkerSet;
import java.util.List;

/**
 * The order in which the workers of an elastic job take the examples: one cursor cycles over all examples, shuffled
 * by the seed, and moves on in each clock by as many as all who take part in it take. The k-th of n workers takes every
 * n-th from its k-th on. So it follows from nothing but who took part in which clock what each takes, and no example is
 * taken again before all others have been, also when workers join or leave.
 */
final class SharedBatches {
    private final int[] order;
    private final int[] rows;
    private final long perWorker;
    private final int worker;
    private WorkerSet workerSet;

    /** Examples that all have taken before the worker set's first clock. */
    private long taken;

    /**
     * Shuffles the examples.
     *
     * @param examples how many there are
     * @param worker   index of the worker whose part to take
     * @param settings give batches, their size, and the seed
     */
    SharedBatches(int examples, int worker, LrSettings settings) {
        this.order = Batches.shuffled(examples, settings.seed());
        this.rows = new int[settings.batch()];
        this.perWorker = settings.examples();
        this.worker = worker;
    }

    /** Continues with a worker set after the examples of the earlier ones. */
    void onWorkerSet(List<WorkerSet> workerSets) {
        workerSet = workerSets.getLast();
        taken = 0;
        for (int i = 1; i < workerSets.size(); i++) {
            WorkerSet before = workerSets.get(i - 1);
            taken += (workerSets.get(i).since() - before.since()) * before.size() * perWorker;
        }
    }

    /**
     * A batch; the array is used again.
     *
     * @param clock in which it is taken, of the worker set's
     * @param batch its number within the clock, from 0
     */
    int[] rows(long clock, int batch) {
        long start = taken + (clock - workerSet.since()) * workerSet.size() * perWorker;
        int rank = workerSet.rank(worker);
        for (int i = 0; i < rows.length; i++) {
            long own = (long) batch * rows.length + i;
            rows[i] = order[(int) ((start + rank + own * workerSet.size()) % order.length)];
        }
        return rows;
    }
}
