package io.sluice.samples.descent;

import io.sluice.consistency.terms.WorkerSet;
import io.sluice.samples.UpdateListener;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Trains in one process and one thread, without Sluice: the batches of all workers in turn, their f32 updates summed in
 * worker order, the sum added to the parameters. BSP without a filter, where servers sum updates, must give these bits.
 */
public final class DescentReference {
    /** The step of a batch. */
    @FunctionalInterface
    public interface Step {
        /**
         * Adds the step to an update.
         *
         * @param factor factor of minus the gradient of the batch's summed loss
         * @return the summed loss
         */
        double add(int[] rows, double factor, float[] w, float[] update);
    }

    private DescentReference() {}

    /** The worker sets of a job whose workers stay to the end. */
    public static List<WorkerSet> fixed(int workers) {
        return List.of(new WorkerSet(1, IntStream.range(0, workers).boxed().toList()));
    }

    /**
     * Trains to the end.
     *
     * @param parameters number of parameters, all 0 at first
     * @param workerSets worker sets from the first to the last
     * @param orders the order of each worker
     * @param progress called after each iteration, with the loss of the first worker
     * @param updates receives the updates of the first worker
     * @return the parameters
     */
    public static float[] train(
            int parameters,
            Step step,
            DescentSettings settings,
            List<WorkerSet> workerSets,
            IntFunction<BatchOrder> orders,
            DescentProgress progress,
            UpdateListener updates) {
        float[] w = new float[parameters];
        float[] part = new float[parameters];
        float[] update = new float[parameters];
        float[] sum = new float[parameters];
        List<BatchOrder> workers = List.of();
        int known = 0;
        for (int clock = 1; clock <= settings.clocks(); clock++) {
            if (known < workerSets.size() && workerSets.get(known).since() <= clock) {
                workers = orders(workerSets.subList(0, ++known), orders);
            }
            double factor = settings.step(clock, workers.size());
            Arrays.fill(sum, 0);
            double loss = 0;
            for (BatchOrder worker : workers) {
                double own = 0;
                Arrays.fill(update, 0);
                for (int batch = 0; batch < settings.batches(); batch++) {
                    Arrays.fill(part, 0);
                    own += step.add(worker.rows(clock, batch), factor, w, part);
                    add(part, update);
                }
                if (worker == workers.getFirst()) {
                    loss = own;
                    updates.onUpdate(clock, update);
                }
                add(update, sum);
            }
            add(sum, w);
            progress.onClock(clock, loss / settings.examples());
        }
        return w;
    }

    /** Creates the batch order of each worker of the last worker set, and gives each order all these worker sets. */
    public static List<BatchOrder> orders(List<WorkerSet> workerSets, IntFunction<BatchOrder> orders) {
        List<BatchOrder> begun =
                workerSets.getLast().workers().stream().map(orders::apply).toList();
        begun.forEach(order -> order.onWorkerSet(workerSets));
        return begun;
    }

    private static void add(float[] values, float[] target) {
        for (int i = 0; i < values.length; i++) {
            target[i] += values[i];
        }
    }
}
