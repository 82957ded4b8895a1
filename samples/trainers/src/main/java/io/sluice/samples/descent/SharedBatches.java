package io.sluice.samples.descent;

import io.sluice.consistency.terms.WorkerSet;
import java.util.List;

/**
 * The order in which the workers of a job take the examples, also if workers join and leave. One cursor cycles over all
 * examples, which the seed shuffles. In each clock it advances by the number of examples that all workers of that clock
 * take together: of n workers, the k-th takes every n-th example, starting with the k-th. So the examples of a worker
 * depend only on the worker sets of the clocks, and no example is taken twice before all others were taken, even when
 * workers join or leave.
 */
public final class SharedBatches implements BatchOrder {
    private final int[] order;
    private final int[] rows;
    private final long perWorker;
    private final int worker;
    private WorkerSet workerSet;

    /** Number of examples that all workers have taken before the worker set's first clock. */
    private long taken;

    /**
     * Shuffles the examples.
     *
     * @param examples number of examples
     * @param worker   index of the worker that takes its part
     * @param settings give batches, their size, and the seed
     */
    public SharedBatches(int examples, int worker, DescentSettings settings) {
        this.order = Batches.shuffled(examples, settings.seed());
        this.rows = new int[settings.batch()];
        this.perWorker = settings.examples();
        this.worker = worker;
    }

    @Override
    public void onWorkerSet(List<WorkerSet> workerSets) {
        workerSet = workerSets.getLast();
        taken = 0;
        for (int i = 1; i < workerSets.size(); i++) {
            WorkerSet before = workerSets.get(i - 1);
            taken += (workerSets.get(i).since() - before.since()) * before.size() * perWorker;
        }
    }

    @Override
    public int[] rows(long clock, int batch) {
        long start = taken + (clock - workerSet.since()) * workerSet.size() * perWorker;
        int rank = workerSet.rank(worker);
        for (int i = 0; i < rows.length; i++) {
            long own = (long) batch * rows.length + i;
            rows[i] = order[(int) ((start + rank + own * workerSet.size()) % order.length)];
        }
        return rows;
    }
}
