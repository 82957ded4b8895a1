package io.sluice.cli;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TableTerms;
import io.sluice.consistency.terms.WorkerSet;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.samples.UpdateListener;
import io.sluice.samples.data.Corpus;
import io.sluice.samples.lda.LdaReference;
import io.sluice.samples.lda.LdaSettings;
import io.sluice.samples.lda.LdaTrainer;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * Latent Dirichlet allocation.
 *
 * @param data training data
 * @param settings settings of the training
 */
record LdaWorkload(Corpus data, LdaSettings settings) implements Workload {
    private static final String LIKELIHOOD = "log_likelihood";
    private static final String PERPLEXITY = "perplexity";

    @Override
    public void check(ClusterSettings cluster) {
        LdaTrainer.requireFit(cluster);
    }

    @Override
    public void declare(WorkerContext context) {
        LdaTrainer.declare(context, data, settings);
    }

    @Override
    public Training on(Worker worker) {
        LdaTrainer trainer = new LdaTrainer(worker, data, settings);
        return new Training(trainer.tables(), (onWorkerSet, progress) -> trainer.train(byClock(progress)));
    }

    /** Reports passes by their last clocks; the perplexity of the last pass only, because it takes long. */
    private LdaTrainer.Progress byClock(Progress progress) {
        return new LdaTrainer.Progress() {
            @Override
            public void onClock(int clock, double loss) {
                progress.onClock(clock, loss);
            }

            @Override
            public void onPass(int pass, DoubleSupplier logLikelihood, DoubleSupplier perplexity) {
                progress.onModel(
                        pass * settings.clocksPerPass(),
                        () -> pass < settings.passes()
                                ? Map.of(LIKELIHOOD, logLikelihood.getAsDouble())
                                : Map.of(
                                        LIKELIHOOD, logLikelihood.getAsDouble(), PERPLEXITY, perplexity.getAsDouble()));
            }
        };
    }

    @Override
    public float[] reference(int workers, Progress progress, UpdateListener updates) {
        return LdaReference.train(data, settings, workers, byClock(progress), updates);
    }

    @Override
    public float[] reference(List<WorkerSet> workerSets, Progress progress, UpdateListener updates) {
        throw new IllegalArgumentException("--history has no meaning for lda, whose workers stay to the end");
    }

    @Override
    public Part size() {
        return new Part(
                Workload.fields(
                        "vocabulary",
                        data.words(),
                        "documents",
                        data.train().size(),
                        "words",
                        data.size(),
                        "topics",
                        settings.topics()),
                "%,d different words x %d topics".formatted(data.words(), settings.topics()));
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
                        "alpha",
                        settings.alpha(),
                        "beta",
                        settings.beta(),
                        "seed",
                        settings.seed()),
                "%d passes over %,d documents of %,d words in %d clocks"
                        .formatted(settings.passes(), data.train().size(), data.size(), settings.clocks()));
    }

    @Override
    public Part quality(Evaluations evaluations) {
        double likelihood = evaluations.last(LIKELIHOOD);
        double perplexity = evaluations.last(PERPLEXITY);
        return new Part(
                Workload.fields(
                        LIKELIHOOD,
                        likelihood,
                        PERPLEXITY,
                        perplexity,
                        "passes_" + LIKELIHOOD,
                        evaluations.byPass(LIKELIHOOD, settings.passes(), settings.clocksPerPass())),
                "log likelihood %,.0f, held-out perplexity %,.0f".formatted(likelihood, perplexity));
    }
}
