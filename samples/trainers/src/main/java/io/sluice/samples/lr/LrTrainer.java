package io.sluice.samples.lr;

import io.sluice.consistency.terms.WorkerSet;
import io.sluice.consistency.worker.FloatView;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.descent.BatchOrder;
import io.sluice.samples.descent.Batches;
import io.sluice.samples.descent.DescentProgress;
import io.sluice.samples.descent.DescentSettings;
import io.sluice.samples.descent.SharedBatches;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** Trains logistic regression as one worker of a cluster, which may be elastic and may resume from snapshots. */
public final class LrTrainer {
    private static final String WEIGHTS = "weights";

    private final Worker worker;
    private final Dataset data;
    private final DescentSettings settings;
    private final Table weights;

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
                .declare("features", data.features())
                .declare("learning rate", settings.learningRate())
                .declare("seed", settings.seed())
                .declare("training examples", data.fingerprint());
    }

    /**
     * Declares the model.
     *
     * @param worker connected, not started
     * @param data the same on all workers
     * @param settings the same on all workers
     */
    public LrTrainer(Worker worker, Dataset data, DescentSettings settings) {
        this.worker = worker;
        this.data = data;
        this.settings = settings;
        this.weights = worker.table(WEIGHTS, 1, data.features());
    }

    /**
     * Trains to the end.
     *
     * @param progress called after each iteration
     * @return the model; identical on all workers
     */
    public FloatView train(DescentProgress progress) {
        return train(workerSets -> {}, progress);
    }

    /**
     * Trains to the end, or until the worker leaves.
     *
     * @param onWorkerSet called with the worker sets, before the first iteration of each
     * @param progress    called after each iteration
     * @return the model; identical on all workers that train to the end
     */
    public FloatView train(Consumer<List<WorkerSet>> onWorkerSet, DescentProgress progress) {
        int examples = data.train().size();
        BatchOrder order = worker.settings().isElastic()
                ? new SharedBatches(examples, worker.index(), settings)
                : new Batches(examples, worker.index(), worker.workers(), settings);
        return train(order, onWorkerSet, progress);
    }

    /**
     * Trains to the end, or until the worker leaves, on examples that the caller chooses.
     *
     * @param order       order in which the worker takes its examples
     * @param onWorkerSet called with the worker sets, before the first iteration of each
     * @param progress    called after each iteration
     * @return the model; identical on all workers that train to the end
     */
    public FloatView train(BatchOrder order, Consumer<List<WorkerSet>> onWorkerSet, DescentProgress progress) {
        worker.onWorkerSet(workerSets -> {
            order.onWorkerSet(workerSets);
            onWorkerSet.accept(workerSets);
        });
        float[] update = new float[data.features()];
        worker.start(Initialiser.ZEROS);
        for (int clock = (int) worker.completed() + 1; continues(clock); clock++) {
            double step = settings.step(
                    clock,
                    worker.workerSet().size(),
                    worker.settings().table(WEIGHTS).rule());
            double loss = 0;
            for (int batch = 0; batch < settings.batches(); batch++) {
                FloatView w = weights.sync();
                Arrays.fill(update, 0);
                loss += LrModel.step(data.train(), order.rows(clock, batch), step, w::get, update);
                progress.onUpdate(clock, update);
                if (batch < settings.batches() - 1) {
                    weights.accumulate(update);
                }
            }
            progress.onComputed(clock);
            weights.update(update); // adds what accumulate() has collected
            worker.clock();
            progress.onClock(clock, loss / settings.examples());
        }
        worker.drain();
        return weights.view();
    }

    private boolean continues(int clock) {
        return clock <= settings.clocks() && worker.takesPart();
    }

    /** The table that is trained. */
    public Table weights() {
        return weights;
    }
}
