package io.sluice.djl.cnn;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.training.DefaultTrainingConfig;
import ai.djl.training.GradientCollector;
import ai.djl.training.Trainer;
import ai.djl.training.optimizer.Optimizer;
import ai.djl.training.tracker.Tracker;
import io.sluice.samples.cnn.CnnSettings;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.descent.Batches;

/** The same training by the library's own trainer and optimiser, without Sluice. */
final class PlainTraining implements AutoCloseable {
    private final ImageModel images;
    private final Trainer trainer;

    PlainTraining(Dataset data, CnnSettings settings) {
        images = new ImageModel(data, settings);
        Optimizer optimizer = Optimizer.sgd()
                .setLearningRateTracker(Tracker.fixed((float) settings.descent().learningRate()))
                .build();
        trainer = images.model().newTrainer(new DefaultTrainingConfig(images.loss()).optOptimizer(optimizer));
        trainer.initialize(images.shape());
    }

    /** One iteration. */
    float step(int[] rows) {
        try (NDManager scope = images.model().getNDManager().newSubManager()) {
            NDList data = images.images(scope, rows);
            NDList labels = images.labels(scope, rows);
            float value;
            try (GradientCollector collector = trainer.newGradientCollector()) {
                NDArray loss = images.loss().evaluate(labels, trainer.forward(data, labels));
                collector.backward(loss);
                value = loss.toFloatArray()[0];
            }
            trainer.step();
            return value;
        }
    }

    /** The speed over a few seconds, after a quarter as many to warm up. */
    static double imagesPerSecond(Dataset data, CnnSettings settings, double seconds) {
        Batches order = new Batches(data.train().size(), 0, 1, settings.descent());
        try (PlainTraining training = new PlainTraining(data, settings)) {
            training.run(order, seconds / 4);
            return training.run(order, seconds) * settings.descent().batch();
        }
    }

    /** Iterations a second. */
    private double run(Batches order, double seconds) {
        long startNs = System.nanoTime();
        int clock = 0;
        double passed = 0;
        while (passed < seconds) {
            step(order.rows(++clock, 0));
            passed = (System.nanoTime() - startNs) / 1e9;
        }
        return clock / passed;
    }

    @Override
    public void close() {
        trainer.close();
        images.close();
    }
}
