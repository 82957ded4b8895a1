package io.sluice.perf.training;

import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.perf.cluster.WorkerTask;
import io.sluice.perf.experiment.Settings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A trainer with several mini-batches per clock. Instead of computing it waits, like a thread that feeds an
 * accelerator, and calls {@link Worker#work()} every millisecond.
 */
record ManagedTrainer(ManagedTask task, double learningRate, Settings settings) {
    private static final double NS = 1e9;

    /**
     * The measurements of a worker.
     *
     * @param replicas parameters at the start and after each clock; of workers except the first, only the last ones
     * @param bytesPushed bytes pushed, counted in the log
     * @param framesEarly frames pushed before their clock ended
     */
    record Seen(List<float[]> replicas, double seconds, long bytesPushed, long frames, long framesEarly) {}

    Seen train(Worker worker) {
        Table weights = worker.table("weights", 1, task.parameters());
        worker.start(Initialiser.ZEROS);
        boolean first = 0 == worker.index();
        List<float[]> replicas = new ArrayList<>();
        // Differs between workers but not between methods.
        SplittableRandom random = new SplittableRandom(settings.get(Managed.SEED) * 31L + worker.index());
        float[] update = new float[task.parameters()];
        float[] w = new float[task.parameters()];
        long startNs = System.nanoTime();
        for (int clock = 0; clock < settings.get(Managed.CLOCKS); clock++) {
            for (int i = 0; i < settings.get(Managed.BATCHES); i++) {
                weights.sync().copyTo(0, w);
                if (first && 0 == i) {
                    replicas.add(w.clone());
                }
                step(random, w, worker.workers(), update);
                WorkerTask.compute(settings.get(Managed.COMPUTE), worker::work);
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
        int batch = settings.get(Managed.BATCH);
        int[] rows = random.ints(batch, 0, task.examples()).toArray();
        task.step().add(rows, w, learningRate / ((double) batch * workers), update);
    }
}
