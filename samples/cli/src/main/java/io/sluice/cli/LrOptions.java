package io.sluice.cli;

import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.LibSvm;
import io.sluice.samples.data.SpamAssassin;
import io.sluice.samples.descent.DescentSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Options of sparse logistic regression. */
final class LrOptions extends WorkloadOptions {
    @Option(
            names = "--data",
            paramLabel = "PATH",
            description = "A file in libsvm format, plain or compressed with gzip, or a folder with the data set"
                    + " spam-assassin (see sluice data); by default the same e-mails, which ship with Sluice.")
    private Path data;

    @Option(
            names = "--features",
            paramLabel = "D",
            description =
                    "Number of features: for the e-mails a power of two (default 1048576), for a file at least its "
                            + "largest index (default just that).")
    private Integer features;

    @Option(names = "--clocks", paramLabel = "N", defaultValue = "200", description = "Iterations (${DEFAULT-VALUE}).")
    private int clocks;

    @Option(
            names = "--batches",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "Mini-batches per worker and iteration, each a step of its own (${DEFAULT-VALUE}). The sum of their"
                            + " updates is sent when the iteration ends, or earlier with --protocol managed.")
    private int batches;

    @Option(
            names = "--batch",
            paramLabel = "B",
            defaultValue = "128",
            description = "Examples of a mini-batch (${DEFAULT-VALUE}).")
    private int batch;

    @Option(
            names = "--learning-rate",
            paramLabel = "R",
            defaultValue = "400",
            description = "The step of iteration t is R / sqrt(t) times the mean gradient (${DEFAULT-VALUE}).")
    private double learningRate;

    @Option(
            names = "--seed",
            paramLabel = "S",
            defaultValue = "1",
            description = "Seed of the order of the examples (${DEFAULT-VALUE}).")
    private long seed;

    @Override
    String name() {
        return "lr";
    }

    @Override
    String task() {
        return "sparse logistic regression on real e-mails";
    }

    @Override
    String defaultFilter() {
        return "dvf";
    }

    @Override
    void check() {
        settings();
    }

    DescentSettings settings() {
        return new DescentSettings(clocks, batches, batch, learningRate, seed);
    }

    @Override
    Workload read() throws IOException {
        return new LrWorkload(examples(), settings());
    }

    private Dataset examples() throws IOException {
        int ofMails = features == null ? SpamAssassin.DEFAULT_FEATURES : features;
        if (data == null) {
            return SpamAssassin.load(ofMails);
        }
        if (Files.isDirectory(data)) {
            return SpamAssassin.load(data, ofMails);
        }
        return features == null ? LibSvm.read(data) : LibSvm.read(data, features);
    }
}
