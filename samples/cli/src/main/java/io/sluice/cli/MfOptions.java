package io.sluice.cli;

import io.sluice.samples.data.PlantedRatings;
import io.sluice.samples.data.RatingsFile;
import io.sluice.samples.mf.MfSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** Options of matrix factorisation. */
final class MfOptions extends WorkloadOptions {
    private static final long SEED_OF_PLANTED = 1;
    private static final List<DatasetChoice.Real> REAL = List.of(new DatasetChoice.Real("movielens", RatingsFile.NAME));

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "A folder with the data set movielens (see sluice data).")
    private Path data;

    @Option(
            names = "--dataset",
            paramLabel = "NAME",
            description = "Data set: movielens (needs --data), or planted (synthetic ratings, as many as in MovieLens;"
                    + " their noise keeps every held-out error above 0.3). Default: movielens with --data, otherwise"
                    + " planted.")
    private String dataset;

    @Option(
            names = "--rank",
            paramLabel = "K",
            defaultValue = "40",
            description = "Numbers in the factor of a user or an item (${DEFAULT-VALUE}).")
    private int rank;

    @Option(
            names = "--lambda",
            paramLabel = "L",
            defaultValue = "0.05",
            description = "Weight of the regularisation (${DEFAULT-VALUE}).")
    private double lambda;

    @Option(
            names = "--passes",
            paramLabel = "N",
            defaultValue = "20",
            description = "Passes over the ratings (${DEFAULT-VALUE}).")
    private int passes;

    @Option(
            names = "--clocks-per-pass",
            paramLabel = "N",
            defaultValue = "1",
            description = "Iterations of a pass, each with an equal part of the ratings (${DEFAULT-VALUE}).")
    private int clocksPerPass;

    @Option(
            names = "--learning-rate",
            paramLabel = "R",
            defaultValue = "0.007",
            description = "Fixed step under --rule sum and mean: R times minus the gradient of each rating"
                    + " (${DEFAULT-VALUE}).")
    private double learningRate;

    @Option(
            names = "--seed",
            paramLabel = "S",
            defaultValue = "1",
            description = "Seed of the first factors and of the order of the ratings (${DEFAULT-VALUE}).")
    private long seed;

    @Override
    String name() {
        return "mf";
    }

    @Override
    String task() {
        return "matrix factorisation on ratings";
    }

    @Override
    String defaultFilter() {
        return "none";
    }

    private MfSettings settings() {
        return new MfSettings(rank, lambda, passes, clocksPerPass, learningRate, seed);
    }

    @Override
    void check() {
        settings();
        DatasetChoice.of(dataset, data, REAL);
    }

    @Override
    Workload read() throws IOException {
        boolean planted = DatasetChoice.PLANTED.equals(DatasetChoice.of(dataset, data, REAL));
        return new MfWorkload(
                planted ? PlantedRatings.LIKE_MOVIELENS.generate(SEED_OF_PLANTED) : RatingsFile.read(data), settings());
    }
}
