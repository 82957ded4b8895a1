package io.sluice.perf.managed;

import io.sluice.consistency.worker.FloatView;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A trainer that takes several mini-batches in a clock. Computing is waiting, as of a thread that feeds an accelerator,
 * with a call of {@link Worker#work()} every millisecond.
 */
final class ManagedTrainer {
    private static final long WORK_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final double NS = 1e9;

    private final ManagedPlan plan;
    private final SparseTask task;

    /**
     * What a worker has seen.
     *
     * @param losses      over all examples at the beginning and after each clock; of worker 0 alone
     * @param seconds     of all clocks
     * @param bytesPushed as they lie in the log
     * @param frames      pushed
     * @param framesEarly of those, the ones before their clock ended
     * @param replica     after the last clock
     */
    record Outcome(double[] losses, double seconds, long bytesPushed, long frames, long framesEarly, float[] replica) {}

    ManagedTrainer(ManagedPlan plan, SparseTask task) {
        this.plan = plan;
        this.task = task;
    }

    /** Joins, trains and leaves. */
    Outcome train(WorkerContext context) {
        try (Worker worker = Worker.connect(context)) {
            Table weights = worker.table("weights", 1, task.features());
            worker.start(Initialiser.ZEROS);
            boolean first = 0 == worker.index();
            double[] losses = new double[first ? plan.clocks() + 1 : 0];
            // Of its own for each worker, the same for each method.
            SplittableRandom random = new SplittableRandom(plan.seed() * 31 + worker.index());
            float[] update = new float[task.features()];
            long startNs = System.nanoTime();
            for (int clock = 0; clock < plan.clocks(); clock++) {
                for (int batch = 0; batch < plan.batches(); batch++) {
                    FloatView w = weights.sync();
                    if (first && 0 == batch) {
                        losses[clock] = task.loss(w);
                    }
                    step(random, w, update);
                    compute(worker);
                    weights.accumulate(update);
                }
                worker.clock();
            }
            worker.drain();
            double seconds = (System.nanoTime() - startNs) / NS;
            if (first) {
                losses[plan.clocks()] = task.loss(weights.view());
            }
            float[] replica = new float[task.features()];
            weights.view().copyTo(0, replica);
            long frames = worker.stats().framesPushed();
            return new Outcome(
                    losses,
                    seconds,
                    worker.bytesPushed(),
                    frames,
                    worker.stats().framesEarly(),
                    replica);
        }
    }

    private void step(SplittableRandom random, FloatView w, float[] update) {
        Arrays.fill(update, 0);
        double step = plan.learningRate() / ((double) plan.batch() * plan.workers());
        for (int i = 0; i < plan.batch(); i++) {
            task.step(random.nextInt(task.examples()), w, step, update);
        }
    }

    private void compute(Worker worker) {
        long startNs = System.nanoTime();
        for (long left = plan.computeNs(); left > 0; left = plan.computeNs() - (System.nanoTime() - startNs)) {
            LockSupport.parkNanos(Math.min(left, WORK_NS));
            worker.work();
        }
    }
}
