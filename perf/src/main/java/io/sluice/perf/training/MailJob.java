package io.sluice.perf.training;

import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.SpamAssassin;
import io.sluice.samples.descent.DescentSettings;
import io.sluice.samples.lr.Evaluation;
import io.sluice.samples.lr.LrTrainer;
import java.io.IOException;
import java.util.List;

/** Logistic regression on e-mails, with the trainer of {@code train lr}. */
final class MailJob implements Job {
    private final Dataset mails;
    private final int batch;
    private final double learningRate;
    private final long seed;

    MailJob(int batch, double learningRate, long seed) throws IOException {
        mails = SpamAssassin.load(SpamAssassin.DEFAULT_FEATURES);
        this.batch = batch;
        this.learningRate = learningRate;
        this.seed = seed;
    }

    @Override
    public String dataset() {
        return mails.name();
    }

    @Override
    public String objective() {
        return "log-loss of the training examples";
    }

    @Override
    public String heldOut() {
        return "share of held-out mails that are judged right";
    }

    @Override
    public Quality quality(float[] parameters) {
        Evaluation quality = Evaluation.of(mails, parameters);
        return new Quality(quality.loss(), quality.accuracy());
    }

    @Override
    public double step(int clock) {
        return 1 / Math.sqrt(clock);
    }

    @Override
    public int parameters() {
        return mails.features();
    }

    @Override
    public Training declare(Worker worker, int clocks, int localSteps) {
        LrTrainer trainer = new LrTrainer(worker, mails, new DescentSettings(clocks, batch, learningRate, seed));
        return new Training() {
            @Override
            public List<Table> tables() {
                return List.of(trainer.weights());
            }

            @Override
            public void train(Course course) {
                trainer.train(course.progress(new double[clocks]));
            }
        };
    }
}
