package io.sluice.cli;

import io.sluice.consistency.standard.Multicast;
import io.sluice.consistency.standard.UpdateRules;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TableTerms;
import io.sluice.consistency.terms.WorkerSet;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.samples.UpdateListener;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.descent.DescentReference;
import io.sluice.samples.descent.DescentSettings;
import io.sluice.samples.mlr.MlrEvaluation;
import io.sluice.samples.mlr.MlrFactorTrainer;
import io.sluice.samples.mlr.MlrReference;
import io.sluice.samples.mlr.MlrTrainer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Softmax regression.
 *
 * @param data what to learn from
 * @param settings settings of the training: clocks, batches, learning rate and seed
 * @param factors  which vectors workers exchange instead of updates; null for none
 * @param multicast which other workers get them under protocol peer
 */
record MlrWorkload(Dataset data, DescentSettings settings, String factors, String multicast) implements Workload {
    private static final String LOSS = "loss";
    private static final String ACCURACY = "test_accuracy";
    private static final String NONE = "none";
    private static final String VECTORS = "vector_bytes";
    private static final String UPDATES = "update_bytes";

    @Override
    public void check(ClusterSettings cluster) {
        if (factors != null) {
            requireFor("--rule", cluster.summary(TableTerms::rule), UpdateRules.SUM);
            requireFor("--filter", cluster.summary(TableTerms::filter), NONE);
            requireFor("--broadcast-filter", cluster.summary(TableTerms::broadcastFilter), NONE);
            requireFor("--values", cluster.summary(terms -> terms.values().configName()), "f32");
            requireFor(
                    "--protocol",
                    cluster.isPeer() ? "update" : cluster.protocol().configName(),
                    "update");
        }
        if (!cluster.isPeer() && !Multicast.ALL.equals(multicast)) {
            throw new IllegalArgumentException(
                    "--multicast is %s, expected %s without --protocol peer".formatted(multicast, Multicast.ALL));
        }
        Multicast.named(multicast).among(cluster.workers());
    }

    @Override
    public boolean exchangesVectors() {
        return factors != null;
    }

    @Override
    public boolean keepsReplicasEqual(ClusterSettings cluster) {
        return !Multicast.named(multicast).among(cluster.workers()).isPartial();
    }

    private void requireFor(String option, String given, String expected) {
        if (!expected.equals(given)) {
            throw new IllegalArgumentException("%s is %s, expected %s with --factors %s: vectors are exchanged exactly"
                    .formatted(option, given, expected, factors));
        }
    }

    @Override
    public void declare(WorkerContext context) {
        MlrTrainer.declare(context, data, settings);
        context.declare("factors", String.valueOf(factors));
        context.declare("multicast", multicast);
    }

    @Override
    public Training on(Worker worker) {
        return factors == null ? onTable(worker) : onFactors(worker);
    }

    private Training onFactors(Worker worker) {
        MlrFactorTrainer trainer = new MlrFactorTrainer(worker, data, settings, factors, multicast);
        return new Training(List.of(), () -> List.of(trainer.weights().view()), (_, progress) -> {
            float[] w = trainer.train(progress::onClock);
            progress.onModel(clocks(), () -> {
                Map<String, Double> figures = new LinkedHashMap<>(figures(w));
                figures.put(VECTORS, (double) trainer.weights().vectorBytes());
                figures.put(UPDATES, (double) trainer.weights().updateBytes());
                return figures;
            });
        });
    }

    private Training onTable(Worker worker) {
        MlrTrainer trainer = new MlrTrainer(worker, data, settings);
        return new Training(List.of(trainer.weights()), (onWorkerSet, progress) -> {
            float[] w = trainer.train(onWorkerSet, progress::onClock);
            progress.onModel(clocks(), () -> figures(w));
        });
    }

    @Override
    public float[] reference(int workers, Progress progress, UpdateListener updates) {
        if (factors == null) {
            return reference(DescentReference.fixed(workers), progress, updates);
        }
        if (!"all".equals(factors)) {
            throw new IllegalArgumentException("--factors is " + factors + ", expected all with --reference");
        }
        float[] w = MlrReference.trainByFactors(data, settings, workers, progress::onClock);
        progress.onModel(clocks(), () -> figures(w));
        return w;
    }

    @Override
    public float[] reference(List<WorkerSet> workerSets, Progress progress, UpdateListener updates) {
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
        Part part = DescentParts.training(settings, cluster);
        part.fields().put("factors", factors == null ? "none" : factors);
        part.fields().put("multicast", multicast);
        return part;
    }

    @Override
    public Part quality(Evaluations evaluations) {
        Part part = DescentParts.quality(LOSS, ACCURACY, evaluations);
        if (!remark(evaluations).isEmpty()) {
            part.fields().put(VECTORS, (long) evaluations.last(VECTORS));
            part.fields().put(UPDATES, (long) evaluations.last(UPDATES));
        }
        return part;
    }

    /** States whether vectors or updates were cheaper, and by how much. */
    @Override
    public String remark(Evaluations evaluations) {
        double vectors = evaluations.last(VECTORS);
        double updates = evaluations.last(UPDATES);
        if (Double.isNaN(vectors)) {
            return "";
        }
        boolean pays = vectors <= updates;
        return "table weights: each worker receives %,.0f bytes of vectors, instead of %,.0f bytes of updates: %s are"
                        .formatted(vectors, updates, pays ? "vectors" : "updates")
                + " %.1f times smaller".formatted(ratio(vectors, updates));
    }

    private static double ratio(double left, double right) {
        return Math.max(left, right) / Math.max(1, Math.min(left, right));
    }
}
