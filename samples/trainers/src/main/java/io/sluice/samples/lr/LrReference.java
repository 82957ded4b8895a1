package io.sluice.samples.lr;

import io.sluice.consistency.terms.WorkerSet;
import io.sluice.samples.UpdateListener;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.descent.BatchOrder;
import io.sluice.samples.descent.Batches;
import io.sluice.samples.descent.DescentProgress;
import io.sluice.samples.descent.DescentReference;
import io.sluice.samples.descent.DescentSettings;
import io.sluice.samples.descent.SharedBatches;
import java.util.List;
import java.util.function.IntFunction;

/** The same training in one process and one thread, without Sluice, with the same bits. */
public final class LrReference {
    private LrReference() {}

    /**
     * Trains to the end.
     *
     * @param data training data
     * @param settings settings of the training
     * @param workers number of workers, which stay to the end
     * @param progress called after each iteration, with the loss of worker 0
     * @param updates receives the updates of worker 0
     * @return the parameters
     */
    public static float[] train(
            Dataset data, DescentSettings settings, int workers, DescentProgress progress, UpdateListener updates) {
        IntFunction<BatchOrder> orders = worker -> new Batches(data.train().size(), worker, workers, settings);
        return train(data, settings, DescentReference.fixed(workers), orders, progress, updates);
    }

    /**
     * Trains to the end as an elastic job does: each worker takes the examples that it takes in a cluster.
     *
     * @param data training data
     * @param settings settings of the training
     * @param workerSets worker sets from the first to the last
     * @param progress called after each iteration, with the loss of the first worker
     * @param updates receives the updates of the first worker
     * @return the parameters
     */
    public static float[] train(
            Dataset data,
            DescentSettings settings,
            List<WorkerSet> workerSets,
            DescentProgress progress,
            UpdateListener updates) {
        IntFunction<BatchOrder> orders =
                worker -> new SharedBatches(data.train().size(), worker, settings);
        return train(data, settings, workerSets, orders, progress, updates);
    }

    private static float[] train(
            Dataset data,
            DescentSettings settings,
            List<WorkerSet> workerSets,
            IntFunction<BatchOrder> orders,
            DescentProgress progress,
            UpdateListener updates) {
        DescentReference.Step step =
                (rows, factor, w, update) -> LrModel.step(data.train(), rows, factor, k -> w[(int) k], update);
        return DescentReference.train(data.features(), step, settings, workerSets, orders, progress, updates);
    }
}
