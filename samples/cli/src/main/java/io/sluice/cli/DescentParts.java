package io.sluice.cli;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TableTerms;
import io.sluice.samples.descent.DescentSettings;

/** The parts of reports for workloads that train by gradient descent in mini-batches. */
final class DescentParts {
    private DescentParts() {}

    static Workload.Part training(DescentSettings settings, ClusterSettings cluster) {
        return new Workload.Part(
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
                "%d clocks of %d x %s%d examples"
                        .formatted(
                                settings.clocks(),
                                cluster.workers(),
                                settings.batches() > 1 ? settings.batches() + " x " : "",
                                settings.batch()));
    }

    /** The quality, given the names of its two figures. */
    static Workload.Part quality(String ofLoss, String ofAccuracy, Evaluations evaluations) {
        double loss = evaluations.last(ofLoss);
        double accuracy = evaluations.last(ofAccuracy);
        return new Workload.Part(
                Workload.fields(ofLoss, loss, ofAccuracy, accuracy),
                "loss %.4f, held-out accuracy %.2f %%".formatted(loss, 100 * accuracy));
    }
}
