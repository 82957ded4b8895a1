package io.sluice.perf.training;

import io.sluice.console.ExitCode;
import io.sluice.perf.experiment.Parameter;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.IdxFiles;
import io.sluice.samples.data.PlantedImages;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Records updates for measurements; its subcommands are the trainers. */
@Command(
        name = "record",
        description = "Records the updates of a training run, for --data of the other commands.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "MODEL")
public final class RecordCommand {
    private static final float RATE = 0.05f;
    private static final float MOMENTUM = 0.9f;
    private static final int BATCH = 64;

    @Spec
    private CommandSpec spec;

    @Command(
            name = "dense",
            description = {
                "Trains a perceptron with one hidden layer, and records its last updates.",
                "By momentum SGD in this process. The file is raw little-endian f32, one clock after the other."
            },
            mixinStandardHelpOptions = true,
            sortOptions = false)
    int dense(
            @Mixin Recording recording,
            @Option(
                            names = "--hidden",
                            paramLabel = "N",
                            defaultValue = "128",
                            description = "Units of the hidden layer (${DEFAULT-VALUE}).")
                    int hidden,
            @Option(
                            names = "--idx",
                            paramLabel = "FOLDER",
                            description = "Images of the MNIST family in IDX files, such as those of Debian's"
                                    + " dataset-fashion-mnist; by default a synthetic task of the same shape.")
                    Path idx)
            throws IOException {
        recording.check();
        Parameter.requireRange("--hidden", hidden, 1, 10_000);
        Dataset data = idx == null ? PlantedImages.generate() : IdxFiles.read(idx);
        Perceptron model = new Perceptron(data, hidden, 1);
        int[] rows = new int[BATCH];
        SplittableRandom random = new SplittableRandom(2);
        recording.run(spec.commandLine().getOut(), data.name(), model.size(), update -> {
            Arrays.setAll(rows, _ -> random.nextInt(data.train().size()));
            return model.step(rows, RATE, MOMENTUM, update);
        });
        return ExitCode.OK;
    }

    @Command(
            name = "embedding",
            description = {
                "Trains embeddings of users and items from synthetic ratings, and records their last updates.",
                "By SGD in this process: the rows of a batch's users and items change, all others are zero. The file is"
                        + " raw little-endian f32, one clock after the other."
            },
            mixinStandardHelpOptions = true,
            sortOptions = false)
    int embedding(
            @Mixin Recording recording,
            @Option(
                            names = "--rows",
                            paramLabel = "N",
                            defaultValue = "10000",
                            description = "Users and items, half of each (${DEFAULT-VALUE}).")
                    int rows,
            @Option(
                            names = "--width",
                            paramLabel = "N",
                            defaultValue = "64",
                            description = "Parameters of a row (${DEFAULT-VALUE}).")
                    int width,
            @Option(
                            names = "--batch",
                            paramLabel = "N",
                            defaultValue = "256",
                            description = "Ratings of a clock (${DEFAULT-VALUE}).")
                    int batch)
            throws IOException {
        recording.check();
        Parameter.requireRange("--rows", rows, 2, 1_000_000);
        Parameter.requireRange("--width", width, 1, 1_024);
        Parameter.requireRange("--batch", batch, 1, 1_000_000);
        Embedding model = new Embedding(rows / 2, width, 1);
        recording.run(
                spec.commandLine().getOut(), "synthetic ratings", model.size(), update -> model.step(batch, update));
        return ExitCode.OK;
    }
}
