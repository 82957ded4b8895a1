package io.sluice.cli;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TableTerms;
import io.sluice.consistency.terms.WorkerSet;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.consistency.worker.WorkerSetListener;
import io.sluice.samples.UpdateListener;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.lr.LrSettings;
import io.sluice.samples.mlr.MlrEvaluation;
import io.sluice.samples.mlr.MlrReference;
import io.sluice.samples.mlr.MlrTrainer;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Softmax regression.
 *
 * @param data what to learn from
 * @param settings how
 */
record MlrWorkload(Dataset data, LrSettings settings) implements Workload {
    private static final String LOSS = "final_loss";
    private static final String ACCURACY = "test_accuracy";

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
        MlrTrainer.declare(context, data, settings);
    }

    @Override
    public Training on(Worker worker) {
        MlrTrainer trainer = new MlrTrainer(worker, data, settings);
        return new Training() {
            @Override
            public List<Table> tables() {
                return List.of(trainer.weights());
            }

            @Override
            public void train(WorkerSetListener onWorkerSet, Progress progress) {
                float[] w = trainer.train(onWorkerSet, progress::onClock);
                progress.onModel(clocks(), () -> figures(w));
            }
        };
    }

    @Override
    public float[] reference(int workers, Progress progress, UpdateListener updates) {
        List<Integer> all = IntStream.range(0, workers).boxed().toList();
        return reference(List.of(new WorkerSet(1, all)), progress, updates);
    }

    @Override
    public float[] reference(List<WorkerSet> workerSets, Progress progress) {
        return reference(workerSets, progress, UpdateListener.NONE);
    }

    private float[] reference(List<WorkerSet> workerSets, Progress progress, UpdateListener updates) {
        float[] w = MlrReference.train(data, settings, workerSets, progress::onClock, updates);
        progress.onModel(clocks(), () -> figures(w));
        return w;
    }

    private Map<String, Double> figures(float[] w) {
        MlrEvaluation evaluation = MlrEvaluation.of(data, w);
        return Map.of(LOSS, evaluation.loss(), ACCURACY, evaluation.accuracy());
    }

    @Override
    public Part size() {
        return new Part(
                Workload.fields(
                        "classes",
                        data.classes(),
                        "features",
                        data.features(),
                        "examples",
                        data.train().size()),
                "%d classes x %,d features".formatted(data.classes(), data.features()));
    }

    @Override
    public Part training(ClusterSettings cluster) {
        return new Part(
                Workload.fields(
                        "rule",
                        cluster.summary(TableTerms::rule),
                        "clocks",
                        settings.clocks(),
                        "batches",
                        settings.batches(),
                        "batch",
                        settings.batch(),
                        "learning_rate",
                        settings.learningRate(),
                        "seed",
                        settings.seed()),
                "%d clocks of %d x %d examples".formatted(settings.clocks(), cluster.workers(), settings.examples()));
    }

    @Override
    public Part quality(Evaluations evaluations) {
        double loss = evaluations.last(LOSS);
        double accuracy = evaluations.last(ACCURACY);
        return new Part(
                Workload.fields(LOSS, loss, ACCURACY, accuracy),
                "loss %.4f, held-out accuracy %.2f %%".formatted(loss, 100 * accuracy));
    }

    @Override
    public List<Baseline> baselines(ClusterSettings cluster) {
        return List.of();
    }
}
