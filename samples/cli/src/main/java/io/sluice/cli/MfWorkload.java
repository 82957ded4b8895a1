package io.sluice.cli;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TableTerms;
import io.sluice.consistency.terms.WorkerSet;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.samples.UpdateListener;
import io.sluice.samples.data.RatingSet;
import io.sluice.samples.mf.MfEvaluation;
import io.sluice.samples.mf.MfReference;
import io.sluice.samples.mf.MfSettings;
import io.sluice.samples.mf.MfTrainer;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Matrix factorisation.
 *
 * @param data training data
 * @param settings settings of the training
 */
record MfWorkload(RatingSet data, MfSettings settings) implements Workload {
    private static final String TRAIN_ERROR = "train_error";
    private static final String TEST_RMSE = "test_rmse";

    @Override
    public void declare(WorkerContext context) {
        MfTrainer.declare(context, data, settings);
    }

    @Override
    public Training on(Worker worker) {
        MfTrainer trainer = new MfTrainer(worker, data, settings);
        return new Training(trainer.tables(), (onWorkerSet, progress) -> {
            worker.onWorkerSet(onWorkerSet);
            trainer.train(byClock(progress));
        });
    }

    /** Reports passes by their last clocks. */
    private MfTrainer.Progress byClock(Progress progress) {
        return new MfTrainer.Progress() {
            @Override
            public void onClock(int clock, double rmse) {
                progress.onClock(clock, rmse);
            }

            @Override
            public void onPass(int pass, Supplier<MfEvaluation> evaluation) {
                progress.onModel(pass * settings.clocksPerPass(), () -> figures(evaluation.get()));
            }
        };
    }

    private static Map<String, Double> figures(MfEvaluation evaluation) {
        return Map.of(TRAIN_ERROR, evaluation.trainError(), TEST_RMSE, evaluation.testRmse());
    }

    @Override
    public float[] reference(List<WorkerSet> workerSets, Progress progress, UpdateListener updates) {
        return MfReference.train(data, settings, workerSets, byClock(progress), updates);
    }

    @Override
    public Part size() {
        return new Part(
                Workload.fields(
                        "users", data.users(),
                        "items", data.items(),
                        "ratings", data.train().size()),
                "%,d users, %,d items, rank %d".formatted(data.users(), data.items(), settings.rank()));
    }

    @Override
    public Part training(ClusterSettings cluster) {
        return new Part(
                Workload.fields(
                        "rule",
                        cluster.summary(TableTerms::rule),
                        "passes",
                        settings.passes(),
                        "clocks_per_pass",
                        settings.clocksPerPass(),
                        "clocks",
                        settings.clocks(),
                        "rank",
                        settings.rank(),
                        "lambda",
                        settings.lambda(),
                        "learning_rate",
                        settings.learningRate(),
                        "seed",
                        settings.seed()),
                "%d passes over %,d ratings in %d clocks"
                        .formatted(settings.passes(), data.train().size(), settings.clocks()));
    }

    @Override
    public Part quality(Evaluations evaluations) {
        double error = evaluations.last(TRAIN_ERROR);
        double rmse = evaluations.last(TEST_RMSE);
        return new Part(
                Workload.fields(
                        TRAIN_ERROR,
                        error,
                        TEST_RMSE,
                        rmse,
                        "passes_" + TRAIN_ERROR,
                        evaluations.byPass(TRAIN_ERROR, settings.passes(), settings.clocksPerPass()),
                        "passes_" + TEST_RMSE,
                        evaluations.byPass(TEST_RMSE, settings.passes(), settings.clocksPerPass())),
                "training error %,.0f (sum of squares), held-out RMSE %.4f".formatted(error, rmse));
    }
}
