package io.sluice.cli;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TableTerms;
import io.sluice.consistency.terms.WorkerSet;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.consistency.worker.WorkerSetListener;
import io.sluice.samples.UpdateListener;
import io.sluice.samples.data.RatingSet;
import io.sluice.samples.mf.MfEvaluation;
import io.sluice.samples.mf.MfReference;
import io.sluice.samples.mf.MfSettings;
import io.sluice.samples.mf.MfTrainer;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Matrix factorisation.
 *
 * @param data what to learn from
 * @param settings how
 */
record MfWorkload(RatingSet data, MfSettings settings) implements Workload {
    private static final String TRAIN_ERROR = "train_error";
    private static final String TEST_RMSE = "test_rmse";

    @Override
    public String dataset() {
        return data.name();
    }

    @Override
    public int clocks() {
        return settings.clocks();
    }

    @Override
    public long seed() {
        return settings.seed();
    }

    @Override
    public void declare(WorkerContext context) {
        MfTrainer.declare(context, data, settings);
    }

    @Override
    public Training on(Worker worker) {
        MfTrainer trainer = new MfTrainer(worker, data, settings);
        return new Training() {
            @Override
            public List<Table> tables() {
                return trainer.tables();
            }

            @Override
            public void train(WorkerSetListener onWorkerSet, Progress progress) {
                worker.workerSet().onChange(onWorkerSet);
                trainer.train(byClock(progress));
            }
        };
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
                progress.onModel(lastClock(pass), () -> figures(evaluation.get()));
            }
        };
    }

    private int lastClock(int pass) {
        return pass * settings.clocksPerPass();
    }

    private static Map<String, Double> figures(MfEvaluation evaluation) {
        return Map.of(TRAIN_ERROR, evaluation.trainError(), TEST_RMSE, evaluation.testRmse());
    }

    @Override
    public float[] reference(int workers, Progress progress, UpdateListener updates) {
        List<Integer> all = IntStream.range(0, workers).boxed().toList();
        return MfReference.train(data, settings, List.of(new WorkerSet(1, all)), byClock(progress), updates);
    }

    @Override
    public float[] reference(List<WorkerSet> workerSets, Progress progress) {
        return MfReference.train(data, settings, workerSets, byClock(progress), UpdateListener.NONE);
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
                        byPass(evaluations, TRAIN_ERROR),
                        "passes_" + TEST_RMSE,
                        byPass(evaluations, TEST_RMSE)),
                "training error %,.0f (sum of squares), held-out RMSE %.4f".formatted(error, rmse));
    }

    /** A figure after each pass; null after those of a job that this one continues. */
    private List<Double> byPass(Evaluations evaluations, String figure) {
        return IntStream.rangeClosed(1, settings.passes())
                .mapToObj(pass -> evaluations.at(lastClock(pass), figure))
                .toList();
    }

    @Override
    public List<Baseline> baselines(ClusterSettings cluster) {
        return List.of();
    }
}
