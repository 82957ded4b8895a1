package io.sluice.perf.training;

import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.worker.LocalSteps;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.IdxFiles;
import io.sluice.samples.data.PlantedImages;
import io.sluice.samples.descent.Batches;
import io.sluice.samples.descent.DescentSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A perceptron with one hidden layer on images, trained by descent with momentum: each worker has the momentum of its
 * own steps, of which it may take several in a clock.
 */
final class ImageJob implements Job {
    private static final int HIDDEN = 128;
    private static final float MOMENTUM = 0.9f;

    private final Dataset images;
    private final int batch;
    private final double learningRate;
    private final long seed;
    private final int parameters;

    /**
     * Reads the images.
     *
     * @param data folder of the images; {@code null} for planted ones
     */
    ImageJob(Path data, int batch, double learningRate, long seed) throws IOException {
        images = null == data ? PlantedImages.generate() : IdxFiles.read(data);
        this.batch = batch;
        this.learningRate = learningRate;
        this.seed = seed;
        this.parameters = perceptron().size();
    }

    private Perceptron perceptron() {
        return new Perceptron(images.features(), HIDDEN, images.classes(), seed);
    }

    @Override
    public String dataset() {
        return images.name();
    }

    @Override
    public String objective() {
        return "share of held-out images that are misjudged";
    }

    @Override
    public double objective(float[] parameters) {
        Perceptron perceptron = perceptron();
        perceptron.load(parameters);
        return perceptron.errors(images.test());
    }

    @Override
    public int parameters() {
        return parameters;
    }

    @Override
    public Training declare(Worker worker, int clocks, int localSteps) {
        Perceptron perceptron = perceptron();
        Table network = worker.table("network", 1, perceptron.size());
        LocalSteps local = LocalSteps.of(worker, localSteps, network);
        return new Training() {
            @Override
            public List<Table> tables() {
                return List.of(network);
            }

            @Override
            public void train(Course course) {
                float[] first = perceptron.parameters().clone();
                worker.start((_, start, values) -> System.arraycopy(first, (int) start, values, 0, values.length));
                boolean sums = ClusterSettingsBuilder.DEFAULT_RULE.equals(
                        worker.settings().table(network.spec()).rule());
                float rate = (float) (sums ? learningRate / worker.workers() : learningRate);
                DescentSettings settings = new DescentSettings(clocks * localSteps, batch, learningRate, seed);
                Batches order = new Batches(images.train().size(), worker.index(), worker.workers(), settings);
                float[] w = new float[perceptron.size()];
                float[] update = new float[perceptron.size()];
                for (int step = 1; step <= settings.clocks(); step++) {
                    local.parameters(network).copyTo(0, w);
                    perceptron.load(w);
                    perceptron.step(images.train(), order.rows(step, 0), rate, MOMENTUM, update);
                    local.add(network, update);
                    boolean ends = step % localSteps == 0;
                    if (ends) {
                        course.onComputed(step / localSteps);
                    }
                    local.step();
                    if (ends) {
                        course.onClock(step / localSteps);
                    }
                }
                worker.drain();
            }
        };
    }
}
