package io.sluice.perf.training;

import io.sluice.console.ExitCode;
import io.sluice.perf.experiment.Parameter;
import io.sluice.samples.data.Classification;
import io.sluice.samples.data.IdxFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Trains a dense model in this process and writes its last updates. */
@Command(
        name = "dense",
        description = {
            "Trains a perceptron with one hidden layer, and records its last updates.",
            "By momentum SGD in this process. The file is raw little-endian f32, one clock after the other."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class RecordDenseCommand implements Callable<Integer> {
    private static final float RATE = 0.05f;
    private static final float MOMENTUM = 0.9f;
    private static final int BATCH = 64;

    @Spec
    private CommandSpec spec;

    @Mixin
    private Recording recording;

    @Option(
            names = "--hidden",
            paramLabel = "N",
            defaultValue = "128",
            description = "Units of the hidden layer (${DEFAULT-VALUE}).")
    private int hidden;

    @Option(
            names = "--idx",
            paramLabel = "FOLDER",
            description = "Images of the MNIST family in IDX files, such as those of Debian's dataset-fashion-mnist; by"
                    + " default a made-up task of the same shape.")
    private Path idx;

    @Override
    public Integer call() throws IOException {
        recording.check();
        Parameter.requireRange("--hidden", hidden, 1, 10_000);
        Classification examples = idx == null ? Classification.madeUp() : IdxFiles.read(idx);
        Perceptron model = new Perceptron(examples.width(), hidden, examples.classes(), 1);
        int[] rows = new int[BATCH];
        SplittableRandom random = new SplittableRandom(2);
        recording.run(spec.commandLine().getOut(), examples.name(), model.size(), update -> {
            for (int i = 0; i < rows.length; i++) {
                rows[i] = random.nextInt(examples.size());
            }
            return model.step(examples, rows, RATE, MOMENTUM, update);
        });
        return ExitCode.OK;
    }
}
