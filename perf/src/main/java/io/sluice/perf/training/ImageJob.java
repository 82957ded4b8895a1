package io.sluice.perf.training;

import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.worker.LocalSteps;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.samples.cnn.CnnSettings;
import io.sluice.samples.cnn.CnnTraining;
import io.sluice.samples.cnn.ImageGradients;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.IdxFiles;
import io.sluice.samples.data.PlantedImages;
import io.sluice.samples.descent.Batches;
import io.sluice.samples.descent.DescentSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * A network on images, trained by descent with momentum: each worker has the momentum of its own steps, of which it may
 * take several in a clock.
 */
final class ImageJob {
    private static final int HIDDEN = 128;

    private final Dataset images;
    private final DescentSettings settings;
    private final float momentum;

    /** Creates the network of a thread. */
    private final Supplier<ImageGradients> networks;

    private final float[] first;

    private ImageJob(Dataset images, DescentSettings settings, float momentum, Supplier<ImageGradients> networks) {
        this.images = images;
        this.settings = settings;
        this.momentum = momentum;
        this.networks = networks;
        this.first = networks.get().first();
    }

    /** Reads images; {@code null} for planted ones. */
    private static Dataset images(Path data) throws IOException {
        return null == data ? PlantedImages.generate() : IdxFiles.read(data);
    }

    /** A perceptron with one hidden layer. */
    static Job perceptron(Path data, DescentSettings settings) throws IOException {
        Dataset images = images(data);
        return new ImageJob(images, settings, 0.9f, () -> new Perceptron(images, HIDDEN, settings.seed()))
                .job("share of held-out images that are misjudged", quality -> 1 - quality.accuracy());
    }

    /** The convolutional network of {@code train cnn}. */
    static Job convolutional(Path data, DescentSettings settings) throws IOException {
        Dataset images = images(data);
        CnnSettings lenet = new CnnSettings(CnnSettings.Network.LENET, settings, CnnSettings.Backward.WHOLE);
        ImageGradients shared = CnnTraining.find().gradients(images, lenet);
        return new ImageJob(images, settings, 0, () -> shared)
                .job("log-loss of held-out images", ImageGradients.Quality::loss);
    }

    private Job job(String objective, ToDoubleFunction<ImageGradients.Quality> reduced) {
        return new Job(
                images.name(),
                objective,
                "share of held-out images that are judged right",
                first.length,
                parameters -> {
                    ImageGradients.Quality quality = networks.get().quality(parameters);
                    return new Job.Quality(reduced.applyAsDouble(quality), quality.accuracy());
                },
                Job.EQUAL_STEPS,
                (worker, clocks, localSteps) -> {
                    Table table = worker.table("network", 1, first.length);
                    return new Job.Training(List.of(table), course -> train(worker, table, clocks, localSteps, course));
                });
    }

    private void train(Worker worker, Table table, int clocks, int localSteps, Course course) {
        LocalSteps local = LocalSteps.of(worker, localSteps, table);
        worker.start((_, start, values) -> System.arraycopy(first, (int) start, values, 0, values.length));
        boolean sums = ClusterSettingsBuilder.DEFAULT_RULE.equals(
                worker.settings().table(table.spec()).rule());
        float rate = (float) (settings.learningRate() / (sums ? worker.workers() : 1));
        ImageGradients network = networks.get();
        Batches order = new Batches(images.train().size(), worker.index(), worker.workers(), settings);
        float[] w = new float[first.length];
        float[] gradient = new float[first.length];
        float[] velocity = new float[first.length];
        for (int step = 1; step <= clocks * localSteps; step++) {
            local.parameters(table).copyTo(0, w);
            network.gradient(order.rows(step, 0), w, gradient);
            for (int i = 0; i < velocity.length; i++) {
                velocity[i] = momentum * velocity[i] - rate * gradient[i];
            }
            local.add(table, velocity);
            int clock = Math.ceilDiv(step, localSteps);
            course.onUpdate(clock, velocity);
            if (step % localSteps == 0) {
                course.onComputed(clock);
            }
            if (local.step()) {
                course.onClock(clock);
            }
        }
        worker.drain();
    }
}
