package io.sluice.cli;

import io.sluice.samples.cnn.CnnSettings;
import io.sluice.samples.cnn.CnnTraining;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.IdxFiles;
import io.sluice.samples.data.PlantedImages;
import io.sluice.samples.descent.DescentSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** Options of convolutional networks. */
final class CnnOptions extends WorkloadOptions {
    private static final String IMAGES = "fashion-mnist";

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "A folder with the data set fashion-mnist (see sluice data).")
    private Path data;

    @Option(
            names = "--dataset",
            paramLabel = "NAME",
            description = "Data set: fashion-mnist (needs --data), or planted (synthetic images). Default:"
                    + " fashion-mnist with --data, otherwise planted.")
    private String dataset;

    @Option(
            names = "--network",
            paramLabel = "NAME",
            defaultValue = "lenet",
            description = "lenet: LeNet-5, 61,706 parameters; wide: 1,199,882 (${DEFAULT-VALUE}).")
    private CnnSettings.Network network;

    @Option(
            names = "--backward",
            paramLabel = "HOW",
            defaultValue = "whole",
            description = "whole: push gradients when all are computed; layers: push those of a layer while those of"
                    + " the layers before it are computed (${DEFAULT-VALUE}).")
    private CnnSettings.Backward backward;

    @Option(names = "--clocks", paramLabel = "N", defaultValue = "2000", description = "Iterations (${DEFAULT-VALUE}).")
    private int clocks;

    @Option(
            names = "--batch",
            paramLabel = "B",
            defaultValue = "64",
            description = "Images per worker and iteration (${DEFAULT-VALUE}).")
    private int batch;

    @Option(
            names = "--learning-rate",
            paramLabel = "R",
            defaultValue = "0.1",
            description = "Under --rule sum and mean, the step, as a multiple of the mean gradient (${DEFAULT-VALUE}).")
    private double learningRate;

    @Option(
            names = "--seed",
            paramLabel = "S",
            defaultValue = "1",
            description = "Seed of the first values and of the order of the images (${DEFAULT-VALUE}).")
    private long seed;

    @Override
    String name() {
        return "cnn";
    }

    @Override
    String task() {
        return "a convolutional network on images, with PyTorch,";
    }

    @Override
    String defaultFilter() {
        return "none";
    }

    private CnnSettings settings() {
        return new CnnSettings(network, new DescentSettings(clocks, batch, learningRate, seed), backward);
    }

    private String datasetName() {
        return DatasetChoice.of(dataset, data, List.of(new DatasetChoice.Real(IMAGES, IdxFiles.NAME)));
    }

    @Override
    void check() {
        settings();
        datasetName();
    }

    @Override
    Workload read() throws IOException {
        CnnTraining training = CnnTraining.find();
        Dataset images = IMAGES.equals(datasetName()) ? IdxFiles.read(data) : PlantedImages.generate();
        return new CnnWorkload(training, images, settings());
    }
}
