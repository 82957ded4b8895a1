package io.sluice.samples.lr;

import io.sluice.consistency.terms.WorkerSet;
import io.sluice.samples.UpdateListener;
import io.sluice.samples.data.Dataset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The same training in one process and one thread, without Sluice: n workers' batches in turn, their f32 updates summed
 * in worker order, the sum added to the parameters. BSP without a filter must give these bits.
 */
public final class LrReference {
    private LrReference() {}

    /**
     * Trains to the end.
     *
     * @param data what to learn from
     * @param settings how
     * @param workers number of workers
     * @param progress called after each iteration, with the loss of worker 0
     * @return the parameters
     */
    public static float[] train(Dataset data, LrSettings settings, int workers, LrTrainer.Progress progress) {
        return train(data, settings, workers, progress, UpdateListener.NONE);
    }

    /**
     * Trains to the end, and passes on the updates of worker 0.
     *
     * @param data what to learn from
     * @param settings how
     * @param workers number of workers
     * @param progress called after each iteration, with the loss of worker 0
     * @param updates called in each iteration
     * @return the parameters
     */
    public static float[] train(
            Dataset data, LrSettings settings, int workers, LrTrainer.Progress progress, UpdateListener updates) {
        float[] w = new float[data.features()];
        float[] update = new float[data.features()];
        float[] sum = new float[data.features()];
        float[] batch = new float[data.features()];
        Batches[] batches = new Batches[workers];
        Arrays.setAll(batches, worker -> new Batches(data.train().size(), worker, workers, settings));
        for (int clock = 1; clock <= settings.clocks(); clock++) {
            double step = settings.step(clock, workers);
            double loss = 0;
            Arrays.fill(sum, 0);
            for (int worker = 0; worker < workers; worker++) {
                Arrays.fill(update, 0);
                double own = 0;
                for (int i = 0; i < settings.batches(); i++) {
                    Arrays.fill(batch, 0);
                    own += LrModel.step(data.train(), batches[worker].next(), step, k -> w[(int) k], batch);
                    add(batch, update);
                }
                if (worker == 0) {
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
     * Trains to the end as an elastic job does: each worker takes the examples that it takes in a cluster.
     *
     * @param data what to learn from
     * @param settings how
     * @param workerSets worker sets from the first to the last
     * @return the parameters
     */
    public static float[] train(Dataset data, LrSettings settings, List<WorkerSet> workerSets) {
        float[] w = new float[data.features()];
        float[] part = new float[w.length];
        float[] update = new float[w.length];
        float[] sum = new float[w.length];
        for (int at = 0; at < workerSets.size(); at++) {
            WorkerSet workerSet = workerSets.get(at);
            List<SharedBatches> batches = dealt(data, settings, workerSets.subList(0, at + 1));
            long end = at + 1 < workerSets.size() ? workerSets.get(at + 1).since() - 1 : settings.clocks();
            for (long clock = workerSet.since(); clock <= end; clock++) {
                double step = settings.step((int) clock, workerSet.size());
                Arrays.fill(sum, 0);
                for (SharedBatches own : batches) {
                    Arrays.fill(update, 0);
                    for (int batch = 0; batch < settings.batches(); batch++) {
                        Arrays.fill(part, 0);
                        LrModel.step(data.train(), own.rows(clock, batch), step, k -> w[(int) k], part);
                        add(part, update);
                    }
                    add(update, sum);
                }
                add(sum, w);
            }
        }
        return w;
    }

    private static List<SharedBatches> dealt(Dataset data, LrSettings settings, List<WorkerSet> workerSets) {
        List<SharedBatches> batches = new ArrayList<>();
        for (int worker : workerSets.getLast().workers()) {
            SharedBatches own = new SharedBatches(data.train().size(), worker, settings);
            own.onWorkerSet(workerSets);
            batches.add(own);
        }
        return batches;
    }

    private static void add(float[] values, float[] target) {
        for (int i = 0; i < values.length; i++) {
            target[i] += values[i];
        }
    }
}
