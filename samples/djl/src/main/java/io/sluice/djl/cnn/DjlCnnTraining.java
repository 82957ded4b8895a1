package io.sluice.djl.cnn;

import io.sluice.codecs.api.MissingLibraryException;
import io.sluice.consistency.terms.WorkerSet;
import io.sluice.consistency.worker.Worker;
import io.sluice.samples.UpdateListener;
import io.sluice.samples.cnn.CnnSettings;
import io.sluice.samples.cnn.CnnTraining;
import io.sluice.samples.cnn.ImageGradients;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.descent.DescentProgress;
import java.util.List;

/** Trains with PyTorch, on one thread unless the properties of PyTorch set another number. */
public final class DjlCnnTraining implements CnnTraining {
    private static final List<String> THREADS =
            List.of("ai.djl.pytorch.num_threads", "ai.djl.pytorch.num_interop_threads");

    /** Creates an instance, for {@link java.util.ServiceLoader}. */
    public DjlCnnTraining() {
        String platform = System.getProperty("os.name") + " " + System.getProperty("os.arch");
        if (!"Linux amd64".equals(platform)) {
            throw new MissingLibraryException(
                    "PyTorch is bundled for Linux amd64 only, and this platform is " + platform
                            + ": add ai.djl.pytorch:pytorch-native-cpu for this platform to the class path",
                    null);
        }
        THREADS.stream()
                .filter(property -> System.getProperty(property) == null)
                .forEach(property -> System.setProperty(property, "1"));
        if (System.getProperty("ai.djl.offline") == null) {
            System.setProperty("ai.djl.offline", "true"); // the class path has all that it needs
        }
    }

    @Override
    public Trainer on(Worker worker, Dataset data, CnnSettings settings) {
        return new CnnTrainer(worker, data, settings);
    }

    @Override
    public ImageGradients gradients(Dataset data, CnnSettings settings) {
        return new CnnGradients(data, settings);
    }

    @Override
    public Trained reference(
            Dataset data,
            CnnSettings settings,
            List<WorkerSet> workerSets,
            DescentProgress progress,
            UpdateListener updates) {
        return CnnReference.train(data, settings, workerSets, progress, updates);
    }
}
