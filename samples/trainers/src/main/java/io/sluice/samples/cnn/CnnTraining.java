package io.sluice.samples.cnn;

import io.sluice.codecs.api.MissingLibraryException;
import io.sluice.consistency.terms.WorkerSet;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.samples.UpdateListener;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.descent.DescentProgress;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.Consumer;

/** Trains convolutional networks. It is in the optional module samples/djl, which needs PyTorch. */
public interface CnnTraining {
    /** Figures of the quality: mean loss and share of correct answers on the held-out images. */
    String LOSS = "test_loss";

    /** Share of the held-out images that the model classifies correctly. */
    String ACCURACY = "test_accuracy";

    /** Images a second, of all workers together, in the second half of the training. */
    String IMAGES_PER_SECOND = "images_per_second";

    /** Images a second of the same training in this process, without Sluice. */
    String SINGLE_PROCESS = "single_process_images_per_second";

    /** Time of a step of the job divided by the time of a step of the single process, minus 1. */
    String STEP_OVERHEAD = "step_overhead";

    /** The trainer of one worker. */
    interface Trainer {
        /** The tables of the model; none before the training. */
        List<Table> tables();

        /** Trains to the end, or until the worker has left. */
        void train(Consumer<List<WorkerSet>> onWorkerSet, DescentProgress progress);

        /** Evaluates the model, and trains another one for a moment, to compare the speed. */
        Map<String, Double> figures();
    }

    /**
     * A trained model.
     *
     * @param parameters values of all tables, one table after the other
     * @param figures    figures of the model's quality by name
     */
    record Trained(float[] parameters, Map<String, Double> figures) {}

    /**
     * Finds the implementation on the class path.
     *
     * @throws MissingLibraryException if the module {@code samples/djl} is not on the class path
     */
    static CnnTraining find() {
        return ServiceLoader.load(CnnTraining.class)
                .findFirst()
                .orElseThrow(() -> new MissingLibraryException(
                        "a convolutional network needs the module samples/djl, with PyTorch, which is not on the class"
                                + " path: ./sluice builds it in a folder of the sources",
                        null));
    }

    /**
     * Declares the model at a worker.
     *
     * @param worker connected, not started
     */
    Trainer on(Worker worker, Dataset data, CnnSettings settings);

    /**
     * Creates a network that threads may share; they take turns.
     *
     * @param settings the network, and the seed of its first parameters
     */
    ImageGradients gradients(Dataset data, CnnSettings settings);

    /** Trains in this process, without Sluice, with the arithmetic of a job: sums in the order of the workers. */
    Trained reference(
            Dataset data,
            CnnSettings settings,
            List<WorkerSet> workerSets,
            DescentProgress progress,
            UpdateListener updates);
}
