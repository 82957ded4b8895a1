package io.sluice.cli;

import io.sluice.samples.data.IdxFiles;
import io.sluice.samples.data.ImageSet;
import io.sluice.samples.lr.LrSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Options of softmax regression. */
final class MlrOptions extends WorkloadOptions {
    private static final List<DatasetChoice.Real> REAL =
            List.of(new DatasetChoice.Real("fashion-mnist", IdxFiles.NAME));

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "A folder with the data set fashion-mnist (see sluice data).")
    private Path data;

    @Option(
            names = "--dataset",
            paramLabel = "NAME",
            description = "fashion-mnist, or planted: made-up images of the same shape (the one in --data; planted"
                    + " without --data).")
    private String dataset;

    @Option(names = "--clocks", paramLabel = "N", defaultValue = "600", description = "Iterations (${DEFAULT-VALUE}).")
    private int clocks;

    @Option(
            names = "--batches",
            paramLabel = "N",
            defaultValue = "1",
            description = "Mini-batches per worker and iteration (${DEFAULT-VALUE}).")
    private int batches;

    @Option(
            names = "--batch",
            paramLabel = "B",
            defaultValue = "64",
            description = "Images of a mini-batch (${DEFAULT-VALUE}).")
    private int batch;

    @Option(
            names = "--learning-rate",
            paramLabel = "R",
            defaultValue = "3",
            description = "Under --rule sum and mean, the step of iteration t is R / sqrt(t), over the mean gradient"
                    + " (${DEFAULT-VALUE}).")
    private double learningRate;

    @Option(
            names = "--seed",
            paramLabel = "S",
            defaultValue = "1",
            description = "Seed of the order of the images (${DEFAULT-VALUE}).")
    private long seed;

    @Override
    String name() {
        return "mlr";
    }

    @Override
    String task() {
        return "softmax regression on images";
    }

    @Override
    String defaultFilter() {
        return "none";
    }

    private LrSettings settings() {
        return new LrSettings(clocks, batches, batch, learningRate, seed);
    }

    @Override
    void check() {
        settings();
        DatasetChoice.of(dataset, data, REAL);
    }

    @Override
    Workload read() throws IOException {
        boolean planted = DatasetChoice.PLANTED.equals(DatasetChoice.of(dataset, data, REAL));
        return new MlrWorkload(planted ? ImageSet.planted() : ImageSet.read(data), settings());
    }

    @Override
    List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        if (data != null) {
            ClusterOptions.add(arguments, "--data", data.toAbsolutePath());
        }
        if (dataset != null) {
            ClusterOptions.add(arguments, "--dataset", dataset);
        }
        ClusterOptions.add(arguments, "--clocks", clocks);
        ClusterOptions.add(arguments, "--batches", batches);
        ClusterOptions.add(arguments, "--batch", batch);
        ClusterOptions.add(arguments, "--learning-rate", learningRate);
        ClusterOptions.add(arguments, "--seed", seed);
        return arguments;
    }
}
