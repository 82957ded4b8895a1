package io.sluice.samples.mlr;

import io.sluice.consistency.terms.WorkerSet;
import io.sluice.samples.UpdateListener;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.descent.BatchOrder;
import io.sluice.samples.descent.DescentProgress;
import io.sluice.samples.descent.DescentReference;
import io.sluice.samples.descent.DescentSettings;
import io.sluice.samples.descent.SharedBatches;
import java.util.List;

/** The same training in one process and one thread, without Sluice, with the same bits. */
public final class MlrReference {
    private MlrReference() {}

    /**
     * Trains to the end.
     *
     * @param data training data
     * @param settings settings of the training
     * @param workerSets worker sets from the first to the last; a job that is not elastic has one
     * @param progress called after each iteration, with the loss of the first worker
     * @param updates receives the updates of the first worker
     * @return the weights, class by class
     */
    public static float[] train(
            Dataset data,
            DescentSettings settings,
            List<WorkerSet> workerSets,
            DescentProgress progress,
            UpdateListener updates) {
        MlrModel model = new MlrModel(data, settings.batch());
        return DescentReference.train(
                model.size(),
                model::step,
                settings,
                workerSets,
                worker -> new SharedBatches(data.train().size(), worker, settings),
                progress,
                updates);
    }

    /**
     * Trains as workers do that exchange vectors: the outer products of all examples are added one after the other, in
     * the order of workers.
     *
     * @param data     training data
     * @param settings settings of the training
     * @param workers  number of workers
     * @param progress called after each iteration, with the loss of the first worker
     * @return the weights, class by class
     */
    public static float[] trainByFactors(
            Dataset data, DescentSettings settings, int workers, DescentProgress progress) {
        MlrModel model = new MlrModel(data, settings.batch());
        List<BatchOrder> orders = DescentReference.orders(
                DescentReference.fixed(workers),
                worker -> new SharedBatches(data.train().size(), worker, settings));
        float[] w = new float[model.size()];
        for (int clock = 1; clock <= settings.clocks(); clock++) {
            float[] next = w.clone();
            double loss = 0;
            for (BatchOrder order : orders) {
                double own = 0;
                for (int batch = 0; batch < settings.batches(); batch++) {
                    own += model.step(order.rows(clock, batch), settings.step(clock, workers), w, next);
                }
                loss = order == orders.getFirst() ? own : loss;
            }
            w = next;
            progress.onClock(clock, loss / settings.examples());
        }
        return w;
    }
}
