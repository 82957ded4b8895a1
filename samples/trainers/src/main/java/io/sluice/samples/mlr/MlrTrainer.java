package io.sluice.samples.mlr;

import io.sluice.consistency.terms.WorkerSet;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.descent.DescentProgress;
import io.sluice.samples.descent.DescentSettings;
import io.sluice.samples.descent.SharedBatches;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** Trains softmax regression as one worker of a cluster, which may be elastic and may resume from snapshots. */
public final class MlrTrainer {
    static final String WEIGHTS = "weights";

    private final Worker worker;
    private final Dataset data;
    private final DescentSettings settings;
    private final MlrModel model;
    private final Table weights;

    /**
     * Declares the model.
     *
     * @param worker connected, not started
     * @param data the same on all workers
     * @param settings the same on all workers
     */
    public MlrTrainer(Worker worker, Dataset data, DescentSettings settings) {
        this.worker = worker;
        this.data = data;
        this.settings = settings;
        this.model = new MlrModel(data, settings.batch());
        this.weights = worker.table(WEIGHTS, data.classes(), data.features());
    }

    /**
     * Trains to the end, or until the worker leaves.
     *
     * @param onWorkerSet called with the worker sets, before the first iteration of each
     * @param progress    called after each iteration
     * @return the weights, class by class; identical on all workers that train to the end
     */
    public float[] train(Consumer<List<WorkerSet>> onWorkerSet, DescentProgress progress) {
        SharedBatches order = new SharedBatches(data.train().size(), worker.index(), settings);
        worker.onWorkerSet(workerSets -> {
            order.onWorkerSet(workerSets);
            onWorkerSet.accept(workerSets);
        });
        float[] w = new float[model.size()];
        float[] update = new float[w.length];
        worker.start(Initialiser.ZEROS);
        for (int clock = (int) worker.completed() + 1; continues(clock); clock++) {
            double factor = settings.step(
                    clock,
                    worker.workerSet().size(),
                    worker.settings().table(WEIGHTS).rule());
            double loss = 0;
            for (int batch = 0; batch < settings.batches(); batch++) {
                weights.sync().copyTo(0, w);
                Arrays.fill(update, 0);
                loss += model.step(order.rows(clock, batch), factor, w, update);
                if (batch < settings.batches() - 1) {
                    weights.accumulate(update);
                }
            }
            progress.onComputed(clock);
            weights.update(update); // all of it: each example changes the weights of all classes
            worker.clock();
            progress.onClock(clock, loss / settings.examples());
        }
        worker.drain();
        weights.view().copyTo(0, w);
        return w;
    }

    private boolean continues(int clock) {
        return clock <= settings.clocks() && worker.takesPart();
    }

    /** The table that is trained. */
    public Table weights() {
        return weights;
    }

    /**
     * Declares the terms that must be equal at all workers. A worker that differs is refused when it joins.
     *
     * @param context  context of the worker, before it connects
     * @param data     training data
     * @param settings settings of the training
     */
    public static void declare(WorkerContext context, Dataset data, DescentSettings settings) {
        context.declare("batch", settings.batch())
                .declare("batches", settings.batches())
                .declare("clocks", settings.clocks())
                .declare("learning rate", settings.learningRate())
                .declare("seed", settings.seed())
                .declare("training examples", data.fingerprint());
    }
}
