package io.sluice.cli;

import io.sluice.consistency.standard.FactorSelections;
import io.sluice.consistency.standard.Multicast;
import io.sluice.samples.data.BrownCorpus;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.IdxFiles;
import io.sluice.samples.data.Pieces;
import io.sluice.samples.data.PlantedCorpus;
import io.sluice.samples.descent.DescentSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** Options of softmax regression. */
final class MlrOptions extends WorkloadOptions {
    private static final long SEED_OF_PLANTED = 1;
    private static final String IMAGES = "fashion-mnist";
    private static final String TEXTS = "brown";
    private static final List<DatasetChoice.Real> REAL =
            List.of(new DatasetChoice.Real(IMAGES, IdxFiles.NAME), new DatasetChoice.Real(TEXTS, BrownCorpus.NAME));

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "A folder with the data set fashion-mnist or brown (see sluice data).")
    private Path data;

    @Option(
            names = "--stop-words",
            paramLabel = "DIR",
            description = "A folder with the data set stopwords: words to leave out of brown.")
    private Path stopWords;

    @Option(
            names = "--dataset",
            paramLabel = "NAME",
            description = "Data set: fashion-mnist (images), brown (100-word excerpts, whose class is the text from"
                    + " which they come), or planted (excerpts of synthetic texts). Default: the one in --data,"
                    + " otherwise planted.")
    private String dataset;

    @Option(names = "--classes", paramLabel = "J", description = "Classes of planted data (500).")
    private Integer classes;

    @Option(names = "--features", paramLabel = "K", description = "Features, or words, of planted data (13000).")
    private Integer features;

    @Option(
            names = "--examples",
            paramLabel = "N",
            description = "Examples of planted data, the held-out tenth included (4000).")
    private Integer examples;

    @Option(names = "--clocks", paramLabel = "N", description = "Iterations (600 for fashion-mnist, 60 for texts).")
    private Integer clocks;

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
            description = "Examples of a mini-batch (${DEFAULT-VALUE}).")
    private int batch;

    @Option(
            names = "--learning-rate",
            paramLabel = "R",
            defaultValue = "3",
            description = "Under --rule sum and mean, the step of iteration t is R / sqrt(t) times the mean gradient"
                    + " (${DEFAULT-VALUE}).")
    private double learningRate;

    @Option(
            names = "--seed",
            paramLabel = "S",
            defaultValue = "1",
            description = "Seed of the order of the examples (${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--factors",
            paramLabel = "SELECTION",
            description = "Exchange pairs of vectors instead of updates: all, joint:C or power:C, of which C pairs are"
                    + " sent, or a user's.")
    private String factors;

    @Option(
            names = "--multicast",
            paramLabel = "M",
            defaultValue = Multicast.ALL,
            description = "With --protocol peer, which other workers get the vectors of a clock: all, or random:Q,"
                    + " fixed:Q or round-robin:Q of them with ;sync=CLOCKS (averaging in turn; ;at-once: of all"
                    + " parameters at a time), ;rotate=CLOCKS, ;seed=S, ;unscaled, ;broken=PERCENT, or ;lossless"
                    + " (${DEFAULT-VALUE}).")
    private String multicast;

    @Override
    String name() {
        return "mlr";
    }

    @Override
    String task() {
        return "softmax regression on images or texts";
    }

    @Override
    String defaultFilter() {
        return "none";
    }

    private DescentSettings settings() {
        int usual = IMAGES.equals(datasetName()) ? 600 : 60;
        return new DescentSettings(clocks == null ? usual : clocks, batches, batch, learningRate, seed);
    }

    private String datasetName() {
        return DatasetChoice.of(dataset, data, REAL);
    }

    private PlantedCorpus planted() {
        int texts = within("--classes", classes, 500, 10, 100_000);
        int words = within("--features", features, 13_000, 1, Integer.MAX_VALUE / texts);
        int pieces = within("--examples", examples, Math.max(4_000, texts), texts, 1_000_000);
        return new PlantedCorpus(texts, words, Math.ceilDiv(pieces * Pieces.WORDS, texts), texts);
    }

    private static int within(String option, Integer given, int usual, int least, int most) {
        int value = given == null ? usual : given;
        if (value < least || value > most) {
            throw new IllegalArgumentException("%s is %d, expected %,d to %,d".formatted(option, value, least, most));
        }
        return value;
    }

    @Override
    void check() {
        settings();
        requireNone("--stop-words", stopWords, TEXTS);
        requireNone("--classes", classes, DatasetChoice.PLANTED);
        requireNone("--features", features, DatasetChoice.PLANTED);
        requireNone("--examples", examples, DatasetChoice.PLANTED);
        planted();
        if (factors != null) {
            FactorSelections.named(factors);
        }
        Multicast.named(multicast);
    }

    private void requireNone(String option, Object value, String only) {
        if (value != null && !only.equals(datasetName())) {
            throw new IllegalArgumentException(
                    "%s is %s, expected none with the data set %s".formatted(option, value, datasetName()));
        }
    }

    @Override
    Workload read() throws IOException {
        return new MlrWorkload(examples(), settings(), factors, multicast);
    }

    private Dataset examples() throws IOException {
        return switch (datasetName()) {
            case IMAGES -> IdxFiles.read(data);
            case TEXTS -> Pieces.of(BrownCorpus.read(data, stopWords));
            default -> Pieces.of(planted().generate(SEED_OF_PLANTED));
        };
    }
}
