package io.sluice.samples.lr;

import io.sluice.consistency.worker.FloatView;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.samples.data.Dataset;
import java.util.Arrays;

/** Trains logistic regression as one of a cluster's workers: all that a trainer has to know of Sluice is in here. */
public final class LrTrainer {
    /** Hears of each iteration. */
    @FunctionalInterface
    public interface Progress {
        /**
         * An iteration is done.
         *
         * @param clock its number, from 1
         * @param loss mean log-loss of the worker's batches
         */
        void onClock(int clock, double loss);
    }

    private final Worker worker;
    private final Dataset data;
    private final LrSettings settings;
    private final Table weights;

    /**
     * Declares the model.
     *
     * @param worker connected, not started
     * @param data the same on all workers
     * @param settings the same on all workers
     */
    public LrTrainer(Worker worker, Dataset data, LrSettings settings) {
        this.worker = worker;
        this.data = data;
        this.settings = settings;
        this.weights = worker.table("weights", 1, data.features());
    }

    /**
     * Trains to the end.
     *
     * @param progress told after each iteration
     * @return the model; identical on all workers
     */
    public FloatView train(Progress progress) {
        Batches batches = new Batches(data.train().size(), worker.index(), worker.workers(), settings);
        float[] update = new float[data.features()];
        worker.start(Initialiser.ZEROS);
        batches.skip(worker.completed() * settings.batches());
        for (int clock = (int) worker.completed() + 1; clock <= settings.clocks(); clock++) {
            double step = settings.step(clock, worker.workers());
            double loss = 0;
            for (int batch = 1; batch <= settings.batches(); batch++) {
                FloatView w = weights.sync();
                Arrays.fill(update, 0);
                loss += LrModel.step(data.train(), batches.next(), step, w::get, update);
                if (batch < settings.batches()) {
                    weights.accumulate(update);
                }
            }
            weights.update(update); // with all that has gathered
            worker.clock();
            progress.onClock(clock, loss / settings.examples());
        }
        worker.drain();
        return weights.view();
    }

    /** The table trained. */
    public Table weights() {
        return weights;
    }
}
