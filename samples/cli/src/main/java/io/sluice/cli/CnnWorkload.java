package io.sluice.cli;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.WorkerSet;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.samples.UpdateListener;
import io.sluice.samples.cnn.CnnSettings;
import io.sluice.samples.cnn.CnnTraining;
import io.sluice.samples.data.Dataset;
import java.util.List;
import java.util.Locale;

/**
 * A convolutional network.
 *
 * @param training implementation that trains the network
 * @param data     training and held-out images
 * @param settings settings of the training: clocks, batches, learning rate and seed, and the network
 */
record CnnWorkload(CnnTraining training, Dataset data, CnnSettings settings) implements Workload {
    private static final List<String> SPEED =
            List.of(CnnTraining.IMAGES_PER_SECOND, CnnTraining.SINGLE_PROCESS, CnnTraining.STEP_OVERHEAD);

    /** PyTorch has one gradient collector in a process. */
    @Override
    public boolean needsProcesses() {
        return true;
    }

    @Override
    public void declare(WorkerContext context) {
        context.declare("network", settings.network())
                .declare("batch", settings.descent().batch())
                .declare("clocks", settings.clocks())
                .declare("learning rate", settings.descent().learningRate())
                .declare("seed", settings.seed())
                .declare("training examples", data.fingerprint());
    }

    @Override
    public Training on(Worker worker) {
        CnnTraining.Trainer trainer = training.on(worker, data, settings);
        return new Training(trainer.tables(), (onWorkerSet, progress) -> {
            trainer.train(onWorkerSet, progress::onClock);
            progress.onModel(clocks(), trainer::figures);
        });
    }

    @Override
    public float[] reference(List<WorkerSet> workerSets, Progress progress, UpdateListener updates) {
        CnnTraining.Trained trained = training.reference(data, settings, workerSets, progress::onClock, updates);
        progress.onModel(clocks(), trained::figures);
        return trained.parameters();
    }

    @Override
    public Part size() {
        String network = lowerCase(settings.network());
        return new Part(
                Workload.fields("network", network, "examples", data.train().size()),
                "%s, %,d images".formatted(network, data.train().size()));
    }

    private static String lowerCase(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public Part training(ClusterSettings cluster) {
        Part part = DescentParts.training(settings.descent(), cluster);
        part.fields().put("backward", lowerCase(settings.backward()));
        return part;
    }

    @Override
    public Part quality(Evaluations evaluations) {
        Part part = DescentParts.quality(CnnTraining.LOSS, CnnTraining.ACCURACY, evaluations);
        SPEED.stream() // training in one process reports no speed
                .filter(figure -> !Double.isNaN(evaluations.last(figure)))
                .forEach(figure -> part.fields().put(figure, evaluations.last(figure)));
        return part;
    }

    @Override
    public String remark(Evaluations evaluations) {
        double speed = evaluations.last(CnnTraining.IMAGES_PER_SECOND);
        double single = evaluations.last(CnnTraining.SINGLE_PROCESS);
        if (Double.isNaN(single)) {
            return ""; // no worker has measured the speed of a single process
        }
        return "%,.0f images a second; one process without Sluice, afterwards: %,.0f".formatted(speed, single);
    }
}
