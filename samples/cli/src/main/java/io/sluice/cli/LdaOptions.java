package io.sluice.cli;

import io.sluice.samples.data.BrownCorpus;
import io.sluice.samples.data.PlantedCorpus;
import io.sluice.samples.lda.LdaSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** Options of latent Dirichlet allocation. */
final class LdaOptions extends WorkloadOptions {
    private static final long SEED_OF_PLANTED = 1;
    private static final List<DatasetChoice.Real> REAL = List.of(new DatasetChoice.Real("brown", BrownCorpus.NAME));

    @Option(names = "--data", paramLabel = "DIR", description = "A folder with the data set brown (see sluice data).")
    private Path data;

    @Option(
            names = "--stop-words",
            paramLabel = "DIR",
            description = "A folder with the data set stopwords: words to leave out of --data.")
    private Path stopWords;

    @Option(
            names = "--dataset",
            paramLabel = "NAME",
            description = "Data set: brown (needs --data), or planted (synthetic documents with known topics, the"
                    + " size of the Brown corpus). Default: brown with --data, otherwise planted.")
    private String dataset;

    @Option(names = "--topics", paramLabel = "K", defaultValue = "50", description = "Topics (${DEFAULT-VALUE}).")
    private int topics;

    @Option(
            names = "--alpha",
            paramLabel = "A",
            defaultValue = "0.1",
            description = "Parameter of the Dirichlet distribution of the topics of a document (${DEFAULT-VALUE}).")
    private double alpha;

    @Option(
            names = "--beta",
            paramLabel = "B",
            defaultValue = "0.1",
            description = "Parameter of the Dirichlet distribution of the words of a topic (${DEFAULT-VALUE}).")
    private double beta;

    @Option(
            names = "--passes",
            paramLabel = "N",
            defaultValue = "50",
            description = "Passes over the documents (${DEFAULT-VALUE}).")
    private int passes;

    @Option(
            names = "--clocks-per-pass",
            paramLabel = "N",
            defaultValue = "1",
            description = "Iterations of a pass, each with an equal part of a worker's documents (${DEFAULT-VALUE}).")
    private int clocksPerPass;

    @Option(
            names = "--seed",
            paramLabel = "S",
            defaultValue = "1",
            description = "Seed of the first topics and of all samples (${DEFAULT-VALUE}).")
    private long seed;

    @Override
    String name() {
        return "lda";
    }

    @Override
    String task() {
        return "latent Dirichlet allocation, the topics of documents,";
    }

    @Override
    String defaultFilter() {
        return "none";
    }

    private LdaSettings settings() {
        return new LdaSettings(topics, alpha, beta, passes, clocksPerPass, seed);
    }

    private boolean isPlanted() {
        return DatasetChoice.PLANTED.equals(DatasetChoice.of(dataset, data, REAL));
    }

    @Override
    void check() {
        settings();
        if (isPlanted() && stopWords != null) {
            throw new IllegalArgumentException("--stop-words is " + stopWords + ", expected none without --data");
        }
    }

    @Override
    Workload read() throws IOException {
        return new LdaWorkload(
                isPlanted() ? PlantedCorpus.LIKE_BROWN.generate(SEED_OF_PLANTED) : BrownCorpus.read(data, stopWords),
                settings());
    }
}
