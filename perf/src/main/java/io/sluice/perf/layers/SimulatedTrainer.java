package io.sluice.perf.layers;

import io.sluice.consistency.worker.FloatView;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A worker whose layers only take time: it sleeps, as the thread that feeds a GPU does. Its gradients are real, dense
 * and exact, so that it can check the replica.
 */
final class SimulatedTrainer {
    private static final long RECEIVE_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final double NS = 1e9;

    /** Values repeat after this many elements. */
    private static final int PERIOD = 7;

    /** Small multiples of this add up without rounding. */
    private static final float UNIT = 1f / (1 << 12);

    private static final int CHECKED_AT_ONCE = 1 << 16;

    private final LayerModel model;
    private final long[] forwardNs;
    private final long[] backwardNs;
    private final boolean receiving;
    private final float[][] gradients;

    /**
     * Prepares a trainer.
     *
     * @param model     model to train
     * @param computeNs computing time of an iteration
     * @param receiving whether it receives every millisecond while it computes
     */
    SimulatedTrainer(LayerModel model, long computeNs, boolean receiving) {
        this.model = model;
        this.forwardNs = model.forwardNs(computeNs);
        this.backwardNs = model.backwardNs(computeNs);
        this.receiving = receiving;
        this.gradients = new float[model.layers().size()][];
        for (int layer = 0; layer < gradients.length; layer++) {
            gradients[layer] = new float[model.layers().get(layer).elements()];
            for (int i = 0; i < gradients[layer].length; i++) {
                gradients[layer][i] = gradient(layer, i);
            }
        }
    }

    private static float gradient(int layer, int element) {
        return (1 + (layer + element) % PERIOD) * UNIT;
    }

    /**
     * Joins the cluster, trains and leaves.
     *
     * @param context    context of the worker
     * @param warmup     iterations before those that count
     * @param iterations measured iterations
     * @throws IllegalStateException if the replica is not the sum of all gradients
     */
    Training train(WorkerContext context, int warmup, int iterations) {
        double[] times = new double[iterations];
        double[] delays = new double[iterations];
        double[] waits = new double[iterations];
        try (Worker worker = Worker.connect(context)) {
            Table[] tables = new Table[gradients.length];
            for (int layer = 0; layer < tables.length; layer++) {
                tables[layer] = worker.table(model.layers().get(layer).name(), 1, gradients[layer].length);
            }
            worker.start(Initialiser.ZEROS);
            long endNs = System.nanoTime();
            for (int i = -warmup; i < iterations; i++) {
                long startNs = endNs;
                long delayNs = await(tables[0]);
                long waitNs = delayNs + forward(tables);
                backward(tables);
                worker.clock();
                endNs = System.nanoTime();
                if (i >= 0) {
                    times[i] = (endNs - startNs) / NS;
                    delays[i] = delayNs / NS;
                    waits[i] = waitNs / NS;
                }
            }
            worker.drain();
            check(tables, worker.workers() * (warmup + iterations));
        }
        return new Training(times, delays, waits);
    }

    /** The forward pass, once the first layer has arrived; returns the waiting time for the other layers. */
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
            LockSupport.parkNanos(receiving ? Math.min(left, RECEIVE_NS) : left);
            if (receiving) {
                there.sync();
            }
        }
    }

    private void check(Table[] tables, int times) {
        float[] values = new float[CHECKED_AT_ONCE];
        for (int layer = 0; layer < tables.length; layer++) {
            FloatView view = tables[layer].view();
            for (int start = 0; start < gradients[layer].length; start += values.length) {
                int length = Math.min(values.length, gradients[layer].length - start);
                float[] part = length == values.length ? values : new float[length];
                view.copyTo(start, part);
                for (int i = 0; i < length; i++) {
                    float expected = times * gradient(layer, start + i);
                    if (part[i] != expected) {
                        throw new IllegalStateException("element " + (start + i) + " of layer "
                                + model.layers().get(layer).name() + " is " + part[i] + ", expected " + expected
                                + ": updates were lost or duplicated");
                    }
                }
            }
        }
    }
}
