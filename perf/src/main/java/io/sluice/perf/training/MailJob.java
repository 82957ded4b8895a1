package io.sluice.perf.training;

import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.SpamAssassin;
import io.sluice.samples.descent.DescentSettings;
import io.sluice.samples.lr.Evaluation;
import io.sluice.samples.lr.LrTrainer;
import java.io.IOException;
import java.util.List;

/** Logistic regression on e-mails, with the trainer of {@code train lr}. */
final class MailJob {
    private MailJob() {}

    static Job of(int batch, double learningRate, long seed) throws IOException {
        Dataset mails = SpamAssassin.load(SpamAssassin.DEFAULT_FEATURES);
        return new Job(
                mails.name(),
                "log-loss of the training examples",
                "share of held-out mails that are judged right",
                mails.features(),
                parameters -> {
                    Evaluation quality = Evaluation.of(mails, parameters);
                    return new Job.Quality(quality.loss(), quality.accuracy());
                },
                clock -> 1 / Math.sqrt(clock),
                (worker, clocks, _) -> {
                    LrTrainer trainer =
                            new LrTrainer(worker, mails, new DescentSettings(clocks, batch, learningRate, seed));
                    return new Job.Training(List.of(trainer.weights()), trainer::train);
                });
    }
}
