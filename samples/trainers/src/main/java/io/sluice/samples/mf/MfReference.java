package io.sluice.samples.mf;

import io.sluice.consistency.terms.WorkerSet;
import io.sluice.samples.UpdateListener;
import io.sluice.samples.data.RatingSet;
import java.util.Arrays;
import java.util.List;

/**
 * The same training in one process and one thread, without Sluice: the ratings of all workers in turn, their f32 steps
 * added up for each worker, the sums of the workers added in worker order, and the result added to the parameters. BSP
 * without a filter, where servers sum updates, must give these bits.
 */
public final class MfReference {
    private final RatingSet data;
    private final MfSettings settings;
    private final MfModel model;
    private final RatingOrder order;
    private final float[] user;
    private final float[] item;
    private final float[] userStep;
    private final float[] itemStep;

    /** Both tables, one after the other. */
    private final float[] parameters;

    private MfReference(RatingSet data, MfSettings settings, int workers) {
        this.data = data;
        this.settings = settings;
        this.model = new MfModel(data.train(), settings, settings.learningRate(), settings.learningRate());
        this.order = new RatingOrder(data.train().size(), workers, settings);
        this.user = new float[settings.rank()];
        this.item = new float[settings.rank()];
        this.userStep = new float[settings.rank()];
        this.itemStep = new float[settings.rank()];
        this.parameters = new float[Math.multiplyExact(data.users() + data.items(), settings.rank())];
    }

    /**
     * Trains to the end.
     *
     * @param data training data
     * @param settings settings of the training
     * @param workerSets worker sets from the first to the last; a job that is not elastic has one
     * @param progress called after each iteration, with the error of worker 0, and after each pass
     * @param updates receives the updates of the first worker
     * @return the parameters of both tables, one after the other
     */
    public static float[] train(
            RatingSet data,
            MfSettings settings,
            List<WorkerSet> workerSets,
            MfTrainer.Progress progress,
            UpdateListener updates) {
        int most = workerSets.stream().mapToInt(WorkerSet::size).max().orElseThrow();
        MfReference reference = new MfReference(data, settings, most);
        MfModel.firstValues(settings).fill("both", 0, reference.parameters);
        reference.trainAll(workerSets, progress, updates);
        return reference.parameters;
    }

    private void trainAll(List<WorkerSet> workerSets, MfTrainer.Progress progress, UpdateListener updates) {
        float[] update = new float[parameters.length];
        float[] sum = new float[parameters.length];
        for (int clock = 1; clock <= settings.clocks(); clock++) {
            int workers = at(workerSets, clock).size();
            double rmse = 0;
            Arrays.fill(sum, 0);
            for (int rank = 0; rank < workers; rank++) {
                Arrays.fill(update, 0);
                double own = takeRatings(clock, rank, workers, update);
                if (rank == 0) {
                    rmse = own;
                    updates.onUpdate(clock, update);
                }
                add(update, sum, 0);
            }
            add(sum, parameters, 0);
            progress.onClock(clock, rmse);
            if (clock % settings.clocksPerPass() == 0) {
                progress.onPass(clock / settings.clocksPerPass(), () -> MfEvaluation.of(data, settings, parameters));
            }
        }
    }

    private static WorkerSet at(List<WorkerSet> workerSets, int clock) {
        return workerSets.reversed().stream()
                .filter(workers -> workers.since() <= clock)
                .findFirst()
                .orElseThrow();
    }

    private double takeRatings(int clock, int rank, int workers, float[] update) {
        double squares = 0;
        int taken = 0;
        for (int at = order.first(clock, rank); at < order.end(clock); at += workers) {
            int rating = order.rating(at);
            getUser(data.train().user(rating), user);
            getItem(data.train().item(rating), item);
            double error = model.step(rating, user, item, userStep, itemStep);
            add(userStep, update, userStart(data.train().user(rating)));
            add(itemStep, update, itemStart(data.train().item(rating)));
            squares += error * error;
            taken++;
        }
        return Math.sqrt(squares / taken);
    }

    private int userStart(int row) {
        return row * settings.rank();
    }

    private int itemStart(int row) {
        return (data.users() + row) * settings.rank();
    }

    private void getUser(int row, float[] target) {
        System.arraycopy(parameters, userStart(row), target, 0, target.length);
    }

    private void getItem(int row, float[] target) {
        System.arraycopy(parameters, itemStart(row), target, 0, target.length);
    }

    private static void add(float[] values, float[] target, int start) {
        for (int i = 0; i < values.length; i++) {
            target[start + i] += values[i];
        }
    }
}
