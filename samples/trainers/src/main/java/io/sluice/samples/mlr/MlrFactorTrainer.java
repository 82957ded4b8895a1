package io.sluice.samples.mlr;

import io.sluice.consistency.worker.FactorTable;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Worker;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.descent.DescentProgress;
import io.sluice.samples.descent.DescentSettings;
import io.sluice.samples.descent.SharedBatches;

/**
 * Trains softmax regression as one worker of a cluster that exchanges vectors: the gradient of an example is the outer
 * product of the model's error, a number for each class, and the features.
 */
public final class MlrFactorTrainer {
    private final Worker worker;
    private final Dataset data;
    private final DescentSettings settings;
    private final MlrModel model;
    private final FactorTable weights;

    /**
     * Declares the model.
     *
     * @param worker    connected, not started
     * @param data      the same on all workers
     * @param settings  the same on all workers
     * @param selection which vectors are sent, the same on all workers, such as {@code all} or {@code power:25}
     * @param multicast which other workers get them, the same on all workers: {@code all}, or under protocol peer such
     *     as {@code random:4;sync=64}
     */
    public MlrFactorTrainer(Worker worker, Dataset data, DescentSettings settings, String selection, String multicast) {
        this.worker = worker;
        this.data = data;
        this.settings = settings;
        this.model = new MlrModel(data, settings.batch());
        this.weights = worker.factors(
                MlrTrainer.WEIGHTS,
                data.classes(),
                data.features(),
                (int) Math.min(settings.examples(), Integer.MAX_VALUE),
                selection,
                multicast);
    }

    /**
     * Trains to the end.
     *
     * @param progress called after each iteration
     * @return the weights, class by class; identical on all workers if all get all vectors
     */
    public float[] train(DescentProgress progress) {
        SharedBatches order = new SharedBatches(data.train().size(), worker.index(), settings);
        worker.onWorkerSet(order::onWorkerSet);
        float[] w = new float[model.size()];
        worker.start(Initialiser.ZEROS);
        for (int clock = (int) worker.completed() + 1; clock <= settings.clocks(); clock++) {
            double factor = settings.step(clock, worker.workers(), "sum");
            weights.sync().copyTo(0, w);
            double loss = 0;
            for (int batch = 0; batch < settings.batches(); batch++) {
                int[] rows = order.rows(clock, batch);
                loss += model.residuals(rows, factor, w);
                for (int i = 0; i < rows.length; i++) {
                    weights.add(
                            model.residual(i),
                            data.train().indices(rows[i]),
                            data.train().values(rows[i]));
                }
            }
            progress.onComputed(clock);
            worker.clock();
            progress.onClock(clock, loss / settings.examples());
        }
        worker.drain();
        weights.view().copyTo(0, w);
        return w;
    }

    /** The table that is trained. */
    public FactorTable weights() {
        return weights;
    }
}
