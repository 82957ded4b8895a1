package io.sluice.samples.mlr;

import io.sluice.consistency.terms.WorkerSet;
import io.sluice.samples.UpdateListener;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.lr.LrSettings;
import io.sluice.samples.lr.LrTrainer;
import io.sluice.samples.lr.SharedBatches;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The same training in one process and one thread, without Sluice: the batches of all workers in turn, their f32
 * updates summed in worker order, the sum added to the parameters. BSP without a filter, where servers sum updates,
 * must give these bits.
 */
public final class MlrReference {
    private MlrReference() {}

    /**
     * Trains to the end.
     *
     * @param data what to learn from
     * @param settings how
     * @param workerSets worker sets from the first to the last; a job that is not elastic has one
     * @param progress called after each iteration, with the loss of the first worker
     * @param updates receives the updates of the first worker
     * @return the weights, class by class
     */
    public static float[] train(
            Dataset data,
            LrSettings settings,
            List<WorkerSet> workerSets,
            LrTrainer.Progress progress,
            UpdateListener updates) {
        MlrModel model = new MlrModel(data, settings.batch());
        float[] w = new float[model.size()];
        float[] part = new float[w.length];
        float[] update = new float[w.length];
        float[] sum = new float[w.length];
        List<SharedBatches> orders = List.of();
        int known = 0;
        for (int clock = 1; clock <= settings.clocks(); clock++) {
            if (known < workerSets.size() && workerSets.get(known).since() <= clock) {
                orders = dealt(data, settings, workerSets.subList(0, ++known));
            }
            double factor = settings.step(clock, orders.size(), "sum");
            double loss = 0;
            Arrays.fill(sum, 0);
            for (int rank = 0; rank < orders.size(); rank++) {
                double own = 0;
                Arrays.fill(update, 0);
                for (int batch = 0; batch < settings.batches(); batch++) {
                    Arrays.fill(part, 0);
                    own += model.step(orders.get(rank).rows(clock, batch), factor, w, part);
                    add(part, update);
                }
                if (rank == 0) {
                    loss = own;
                    updates.onUpdate(clock, update);
                }
                add(update, sum);
            }
            add(sum, w);
            progress.onClock(clock, loss / settings.examples());
        }
        return w;
    }

    /**
     * Trains as workers do that exchange vectors: the outer products of all examples are added one after the other, in
     * the order of workers.
     *
     * @param data     what to learn from
     * @param settings how
     * @param workers  number of workers
     * @param progress called after each iteration, with the loss of the first worker
     * @return the weights, class by class
     */
    public static float[] trainByFactors(Dataset data, LrSettings settings, int workers, LrTrainer.Progress progress) {
        MlrModel model = new MlrModel(data, settings.batch());
        WorkerSet all = new WorkerSet(1, IntStream.range(0, workers).boxed().toList());
        List<SharedBatches> orders = dealt(data, settings, List.of(all));
        float[] w = new float[model.size()];
        for (int clock = 1; clock <= settings.clocks(); clock++) {
            float[] next = w.clone();
            double loss = 0;
            for (SharedBatches order : orders) {
                double own = 0;
                for (int batch = 0; batch < settings.batches(); batch++) {
                    own += model.step(order.rows(clock, batch), settings.step(clock, workers, "sum"), w, next);
                }
                loss = order == orders.getFirst() ? own : loss;
            }
            w = next;
            progress.onClock(clock, loss / settings.examples());
        }
        return w;
    }

    private static List<SharedBatches> dealt(Dataset data, LrSettings settings, List<WorkerSet> workerSets) {
        List<SharedBatches> orders = new ArrayList<>();
        for (int worker : workerSets.getLast().workers()) {
            SharedBatches own = new SharedBatches(data.train().size(), worker, settings);
            own.onWorkerSet(workerSets);
            orders.add(own);
        }
        return orders;
    }

    private static void add(float[] values, float[] target) {
        for (int i = 0; i < values.length; i++) {
            target[i] += values[i];
        }
    }
}
