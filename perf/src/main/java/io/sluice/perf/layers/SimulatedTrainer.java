package io.sluice.perf.layers;

import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.perf.cluster.Rendezvous;
import io.sluice.perf.cluster.Replica;
import io.sluice.perf.cluster.WorkerTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A worker whose layers only take time: it sleeps, as the thread that feeds a GPU does. Its gradients are real, dense
 * and exact, so that it can check the replica.
 */
final class SimulatedTrainer implements WorkerTask<SimulatedTrainer.Times> {
    private static final long RECEIVE_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final double NS = 1e9;

    /** Number of elements after which values repeat. */
    private static final int PERIOD = 7;

    /** Unit of the values, whose small multiples add up without rounding. */
    private static final float UNIT = 1f / (1 << 12);

    private final TrainingPlan plan;
    private final LayerModel model;
    private final long[] forwardNs;
    private final long[] backwardNs;
    private final float[][] gradients;

    /** Prepares gradients, which all workers share. */
    SimulatedTrainer(TrainingPlan plan) {
        this.plan = plan;
        this.model = plan.model();
        this.forwardNs = model.forwardNs(plan.computeNs());
        this.backwardNs = model.backwardNs(plan.computeNs());
        this.gradients = new float[model.layers().size()][];
        for (int layer = 0; layer < gradients.length; layer++) {
            gradients[layer] = new float[model.layers().get(layer).elements()];
            for (int i = 0; i < gradients[layer].length; i++) {
                gradients[layer][i] = gradient(layer, i);
            }
        }
    }

    /**
     * Seconds of each measured iteration of a worker.
     *
     * @param iterations from the end of one backward pass to that of the next
     * @param delays     part of each before the first layer had arrived, P3's delay between iterations
     * @param waits      part of each before any layer had arrived, the delay included
     */
    record Times(double[] iterations, double[] delays, double[] waits) {}

    private static float gradient(int layer, int element) {
        return (1 + (layer + element) % PERIOD) * UNIT;
    }

    @Override
    public Times train(Worker worker, Rendezvous rendezvous) {
        int iterations = plan.iterations();
        Times times = new Times(new double[iterations], new double[iterations], new double[iterations]);
        Table[] tables = new Table[gradients.length];
        for (int layer = 0; layer < tables.length; layer++) {
            tables[layer] = worker.table(model.layers().get(layer).name(), 1, gradients[layer].length);
        }
        worker.start(Initialiser.ZEROS);
        long endNs = System.nanoTime();
        for (int i = -plan.warmup(); i < iterations; i++) {
            long startNs = endNs;
            long delayNs = await(tables[0]);
            long waitNs = delayNs + forward(tables);
            backward(tables);
            worker.clock();
            endNs = System.nanoTime();
            if (i >= 0) {
                times.iterations[i] = (endNs - startNs) / NS;
                times.delays[i] = delayNs / NS;
                times.waits[i] = waitNs / NS;
            }
        }
        worker.drain();
        int clocks = worker.workers() * (plan.warmup() + iterations);
        for (int i = 0; i < tables.length; i++) {
            int layer = i;
            Replica.require(tables[layer], element -> clocks * gradient(layer, element));
        }
        return times;
    }

    /** Performs the forward pass, once the first layer has arrived; returns the waiting time for the other layers. */
    private long forward(Table[] tables) {
        long waitNs = 0;
        for (int layer = 0; layer < tables.length; layer++) {
            waitNs += layer == 0 ? 0 : await(tables[layer]);
            compute(forwardNs[layer], tables[layer]);
        }
        return waitNs;
    }

    private void backward(Table[] tables) {
        for (int layer = tables.length - 1; layer >= 0; layer--) {
            compute(backwardNs[layer], tables[layer]);
            tables[layer].update(gradients[layer]);
        }
    }

    private static long await(Table table) {
        long startNs = System.nanoTime();
        table.sync();
        return System.nanoTime() - startNs;
    }

    /** Sleeps and receives: {@code sync} of a version that has arrived does not wait. */
    private void compute(long ns, Table there) {
        long startNs = System.nanoTime();
        for (long left = ns; left > 0; left = ns - (System.nanoTime() - startNs)) {
            LockSupport.parkNanos(plan.receiving() ? Math.min(left, RECEIVE_NS) : left);
            if (plan.receiving()) {
                there.sync();
            }
        }
    }
}
