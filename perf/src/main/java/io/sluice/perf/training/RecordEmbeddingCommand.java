package io.sluice.perf.training;

import io.sluice.console.ExitCode;
import io.sluice.perf.experiment.Parameter;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Trains embeddings in this process and writes their last updates. */
@Command(
        name = "embedding",
        description = {
            "Trains embeddings of users and items from made-up ratings, and records their last updates.",
            "By SGD in this process: the rows of a batch's users and items change, all others are zero. The file is raw"
                    + " little-endian f32, one clock after the other."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class RecordEmbeddingCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private Recording recording;

    @Option(
            names = "--rows",
            paramLabel = "N",
            defaultValue = "10000",
            description = "Users and items, half of each (${DEFAULT-VALUE}).")
    private int rows;

    @Option(
            names = "--width",
            paramLabel = "N",
            defaultValue = "64",
            description = "Parameters of a row (${DEFAULT-VALUE}).")
    private int width;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "256",
            description = "Ratings of a clock (${DEFAULT-VALUE}).")
    private int batch;

    @Override
    public Integer call() throws IOException {
        recording.check();
        Parameter.requireRange("--rows", rows, 2, 1_000_000);
        Parameter.requireRange("--width", width, 1, 1_024);
        Parameter.requireRange("--batch", batch, 1, 1_000_000);
        Embedding model = new Embedding(rows / 2, width, 1);
        recording.run(
                spec.commandLine().getOut(), "made-up ratings", model.size(), update -> model.step(batch, update));
        return ExitCode.OK;
    }
}
