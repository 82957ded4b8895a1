package io.sluice.samples.lr;

import io.sluice.consistency.local.LocalCluster;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.worker.FloatView;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.SpamAssassin;
import io.sluice.samples.descent.Batches;
import io.sluice.samples.descent.DescentSettings;
import java.io.IOException;
import java.util.Arrays;

/** The shortest complete trainer, to copy: one server and two workers in this JVM learn to detect spam. */
public final class SpamClassifier {
    private static final DescentSettings SETTINGS = new DescentSettings(100, 128, 400, 1);

    private SpamClassifier() {}

    /**
     * Trains, and prints the accuracy of the model.
     *
     * @param args none
     * @throws IOException if the e-mails cannot be read
     * @throws InterruptedException if this thread is interrupted
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        Dataset mails = SpamAssassin.load(1 << 16);
        ClusterSettings terms = ClusterSettings.builder()
                .servers(1)
                .workers(2)
                .filter("dvf:0.1")
                .build();
        LocalCluster.run(terms, worker -> {
            FloatView model = train(worker, mails);
            if (worker.index() == 0) { // the replicas of all workers are the same
                System.out.printf(
                        "accuracy %.1f %%, %,d bytes pushed%n",
                        100 * Evaluation.of(mails, model).accuracy(), worker.bytesPushed());
            }
        });
    }

    private static FloatView train(Worker worker, Dataset mails) {
        Table weights = worker.table("weights", 1, mails.features());
        Batches batches = new Batches(mails.train().size(), worker.index(), worker.workers(), SETTINGS);
        float[] update = new float[mails.features()];
        worker.start(Initialiser.ZEROS);
        for (int clock = 1; clock <= SETTINGS.clocks(); clock++) {
            FloatView w = weights.sync();
            Arrays.fill(update, 0);
            LrModel.step(mails.train(), batches.rows(clock, 0), SETTINGS.step(clock, worker.workers()), w::get, update);
            weights.update(update);
            worker.clock();
        }
        worker.drain();
        return weights.view();
    }
}
