package io.sluice.perf.training;

import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.perf.experiment.Settings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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

    private final ManagedTask task;
    private final int clocks;
    private final int batches;
    private final int batch;
    private final double learningRate;
    private final long computeNs;
    private final long seed;

    /**
     * The measurements of a worker.
     *
     * @param replicas parameters at the start and after each clock; of workers except the first, only the last ones
     * @param bytesPushed bytes pushed, counted in the log
     * @param framesEarly frames pushed before their clock ended
     */
    record Seen(List<float[]> replicas, double seconds, long bytesPushed, long frames, long framesEarly) {}

    ManagedTrainer(ManagedTask task, double learningRate, Settings settings) {
        this.task = task;
        clocks = settings.get(Managed.CLOCKS);
        batches = settings.get(Managed.BATCHES);
        batch = settings.get(Managed.BATCH);
        this.learningRate = learningRate;
        computeNs = settings.get(Managed.COMPUTE);
        seed = settings.get(Managed.SEED);
    }

    Seen train(Worker worker) {
        Table weights = worker.table("weights", 1, task.parameters());
        worker.start(Initialiser.ZEROS);
        boolean first = 0 == worker.index();
        List<float[]> replicas = new ArrayList<>();
        // Differs between workers but not between methods.
        SplittableRandom random = new SplittableRandom(seed * 31 + worker.index());
        float[] update = new float[task.parameters()];
        float[] w = new float[task.parameters()];
        long startNs = System.nanoTime();
        for (int clock = 0; clock < clocks; clock++) {
            for (int i = 0; i < batches; i++) {
                weights.sync().copyTo(0, w);
                if (first && 0 == i) {
                    replicas.add(w.clone());
                }
                step(random, w, worker.workers(), update);
                compute(worker);
                weights.accumulate(update);
            }
            worker.clock();
        }
        worker.drain();
        double seconds = (System.nanoTime() - startNs) / NS;
        weights.view().copyTo(0, w);
        replicas.add(w);
        long frames = worker.stats().framesPushed();
        return new Seen(
                replicas, seconds, worker.bytesPushed(), frames, worker.stats().framesEarly());
    }

    private void step(SplittableRandom random, float[] w, int workers, float[] update) {
        Arrays.fill(update, 0);
        int[] rows = random.ints(batch, 0, task.examples()).toArray();
        task.step(rows, w, learningRate / ((double) batch * workers), update);
    }

    private void compute(Worker worker) {
        long startNs = System.nanoTime();
        for (long left = computeNs; left > 0; left = computeNs - (System.nanoTime() - startNs)) {
            LockSupport.parkNanos(Math.min(left, WORK_NS));
            worker.work();
        }
    }
}
