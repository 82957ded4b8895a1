package io.sluice.cli;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.WorkerSet;
import io.sluice.consistency.worker.FloatView;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.samples.UpdateListener;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.descent.DescentSettings;
import io.sluice.samples.lr.Evaluation;
import io.sluice.samples.lr.LrReference;
import io.sluice.samples.lr.LrTrainer;
import io.sluice.samples.lr.Traffic;
import java.util.List;
import java.util.Map;

/**
 * Sparse logistic regression.
 *
 * @param data training data
 * @param settings settings of the training
 */
record LrWorkload(Dataset data, DescentSettings settings) implements Workload {
    private static final String LOSS = "final_loss";
    private static final String ACCURACY = "test_accuracy";

    @Override
    public void declare(WorkerContext context) {
        LrTrainer.declare(context, data, settings);
    }

    @Override
    public Training on(Worker worker) {
        LrTrainer trainer = new LrTrainer(worker, data, settings);
        return new Training(List.of(trainer.weights()), (onWorkerSet, progress) -> {
            FloatView w = trainer.train(onWorkerSet, progress::onClock);
            progress.onModel(clocks(), () -> figures(Evaluation.of(data, w)));
        });
    }

    @Override
    public float[] reference(int workers, Progress progress, UpdateListener updates) {
        float[] w = LrReference.train(data, settings, workers, progress::onClock, updates);
        progress.onModel(clocks(), () -> figures(Evaluation.of(data, w)));
        return w;
    }

    @Override
    public float[] reference(List<WorkerSet> workerSets, Progress progress, UpdateListener updates) {
        float[] w = LrReference.train(data, settings, workerSets, progress::onClock, updates);
        progress.onModel(clocks(), () -> figures(Evaluation.of(data, w)));
        return w;
    }

    private static Map<String, Double> figures(Evaluation evaluation) {
        return Map.of(LOSS, evaluation.loss(), ACCURACY, evaluation.accuracy());
    }

    @Override
    public Part size() {
        return new Part(Workload.fields("features", data.features()), "%,d features".formatted(data.features()));
    }

    @Override
    public Part training(ClusterSettings cluster) {
        return DescentParts.training(settings, cluster);
    }

    @Override
    public Part quality(Evaluations evaluations) {
        return DescentParts.quality(LOSS, ACCURACY, evaluations);
    }

    @Override
    public List<Baseline> baselines(ClusterSettings cluster) {
        Traffic traffic = new Traffic(data, settings, cluster.workers(), cluster.sliceElements());
        return List.of(
                new Baseline("dense_bytes", "push-pull of dense f32 (calculated)", traffic.dense()),
                new Baseline("exact_bytes", "nonzero elements with indices (calculated)", traffic.exact()));
    }
}
