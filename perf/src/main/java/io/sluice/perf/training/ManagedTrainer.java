package io.sluice.perf.training;

import io.sluice.consistency.worker.FloatView;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.perf.experiment.Settings;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A trainer with several mini-batches per clock. Instead of computing it waits, like a thread that feeds an
 * accelerator, and calls {@link Worker#work()} every millisecond.
 */
final class ManagedTrainer {
    private static final long WORK_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final double NS = 1e9;

    private final SparseTask task;
    private final int clocks;
    private final int batches;
    private final int batch;
    private final double learningRate;
    private final long computeNs;
    private final long seed;

    /**
     * The measurements of a worker.
     *
     * @param losses losses over all examples at the start and after each clock; only of worker 0
     * @param bytesPushed bytes pushed, counted in the log
     * @param framesEarly frames pushed before their clock ended
     */
    record Seen(double[] losses, double seconds, long bytesPushed, long frames, long framesEarly, float[] replica) {}

    ManagedTrainer(SparseTask task, Settings settings) {
        this.task = task;
        clocks = settings.get(Managed.CLOCKS);
        batches = settings.get(Managed.BATCHES);
        batch = settings.get(Managed.BATCH);
        learningRate = settings.get(Managed.LEARNING_RATE);
        computeNs = settings.get(Managed.COMPUTE);
        seed = settings.get(Managed.SEED);
    }

    Seen train(Worker worker) {
        Table weights = worker.table("weights", 1, task.features());
        worker.start(Initialiser.ZEROS);
        boolean first = 0 == worker.index();
        double[] losses = new double[first ? clocks + 1 : 0];
        // Differs between workers but not between methods.
        SplittableRandom random = new SplittableRandom(seed * 31 + worker.index());
        float[] update = new float[task.features()];
        long startNs = System.nanoTime();
        for (int clock = 0; clock < clocks; clock++) {
            for (int i = 0; i < batches; i++) {
                FloatView w = weights.sync();
                if (first && 0 == i) {
                    losses[clock] = task.loss(w);
                }
                step(random, w, worker.workers(), update);
                compute(worker);
                weights.accumulate(update);
            }
            worker.clock();
        }
        worker.drain();
        double seconds = (System.nanoTime() - startNs) / NS;
        if (first) {
            losses[clocks] = task.loss(weights.view());
        }
        float[] replica = new float[task.features()];
        weights.view().copyTo(0, replica);
        long frames = worker.stats().framesPushed();
        return new Seen(
                losses, seconds, worker.bytesPushed(), frames, worker.stats().framesEarly(), replica);
    }

    private void step(SplittableRandom random, FloatView w, int workers, float[] update) {
        Arrays.fill(update, 0);
        double step = learningRate / ((double) batch * workers);
        for (int i = 0; i < batch; i++) {
            task.step(random.nextInt(task.examples()), w, step, update);
        }
    }

    private void compute(Worker worker) {
        long startNs = System.nanoTime();
        for (long left = computeNs; left > 0; left = computeNs - (System.nanoTime() - startNs)) {
            LockSupport.parkNanos(Math.min(left, WORK_NS));
            worker.work();
        }
    }
}
