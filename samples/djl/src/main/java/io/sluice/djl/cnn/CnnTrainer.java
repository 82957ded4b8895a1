package io.sluice.djl.cnn;

import ai.djl.ndarray.NDManager;
import ai.djl.training.tracker.Tracker;
import io.sluice.consistency.terms.WorkerSet;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.djl.SluiceTrainer;
import io.sluice.samples.cnn.CnnSettings;
import io.sluice.samples.cnn.CnnTraining;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.descent.DescentProgress;
import io.sluice.samples.descent.SharedBatches;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Trains a network as one worker of a cluster, which may be elastic and may resume from snapshots. */
final class CnnTrainer implements CnnTraining.Trainer {
    private static final double MOST_COMPARED_SECONDS = 4;

    private final Worker worker;
    private final Dataset data;
    private final CnnSettings settings;
    private final ImageModel images;
    private final List<Table> tables = new ArrayList<>();
    private double imagesPerSecond;
    private double trainingSeconds;

    CnnTrainer(Worker worker, Dataset data, CnnSettings settings) {
        this.worker = worker;
        this.data = data;
        this.settings = settings;
        this.images = new ImageModel(data, settings);
    }

    @Override
    public List<Table> tables() {
        return tables;
    }

    @Override
    public void train(Consumer<List<WorkerSet>> onWorkerSet, DescentProgress progress) {
        SharedBatches order = new SharedBatches(data.train().size(), worker.index(), settings.descent());
        worker.onWorkerSet(workerSets -> {
            order.onWorkerSet(workerSets);
            onWorkerSet.accept(workerSets);
        });
        Tracker rate = Tracker.fixed((float) settings.descent().learningRate());
        try (SluiceTrainer trainer = new SluiceTrainer(worker, images.model(), images.loss(), rate)) {
            trainer.byLayer(settings.backward() == CnnSettings.Backward.LAYERS).initialize(images.shape());
            tables.addAll(trainer.tables());
            int half = (int) (worker.completed() + settings.clocks()) / 2;
            long seen = 0;
            long startNs = System.nanoTime();
            long sinceNs = startNs;
            for (int clock = (int) worker.completed() + 1; continues(clock); clock++) {
                int[] rows = order.rows(clock, 0);
                float loss;
                try (NDManager scope = images.model().getNDManager().newSubManager()) {
                    loss = trainer.trainBatch(images.images(scope, rows), images.labels(scope, rows));
                }
                seen += (long) rows.length * worker.workerSet().size();
                trainer.step();
                progress.onClock(clock, loss);
                if (clock == half) {
                    seen = 0;
                    sinceNs = System.nanoTime();
                }
            }
            worker.drain();
            long endNs = System.nanoTime();
            imagesPerSecond = seen * 1e9 / (endNs - sinceNs);
            trainingSeconds = (endNs - startNs) / 1e9;
        }
    }

    private boolean continues(int clock) {
        return clock <= settings.clocks() && worker.takesPart();
    }

    @Override
    public Map<String, Double> figures() {
        Map<String, Double> figures = new HashMap<>(images.quality());
        figures.put(CnnTraining.IMAGES_PER_SECOND, imagesPerSecond);
        if (imagesPerSecond == 0) {
            return figures; // this worker began at the last clock
        }
        double compared = Math.min(trainingSeconds / 2, MOST_COMPARED_SECONDS);
        double single = PlainTraining.imagesPerSecond(data, settings, compared);
        figures.put(CnnTraining.SINGLE_PROCESS, single);
        figures.put(CnnTraining.STEP_OVERHEAD, single * worker.workerSet().size() / imagesPerSecond - 1);
        return figures;
    }
}
