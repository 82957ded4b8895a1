package io.sluice.perf.training;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.perf.ExitCode;
import io.sluice.perf.report.OutputFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
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

    @Option(names = "--out", paramLabel = "FILE", required = true, description = "Where to write the updates.")
    private Path file;

    @Option(
            names = "--clocks",
            paramLabel = "N",
            defaultValue = "8",
            description = "Clocks to record (${DEFAULT-VALUE}).")
    private int clocks;

    @Option(
            names = "--after",
            paramLabel = "N",
            defaultValue = "200",
            description = "Clocks to train before (${DEFAULT-VALUE}).")
    private int before;

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
        require("--clocks", clocks, 1, 1_000);
        require("--after", before, 0, 1_000_000);
        require("--hidden", hidden, 1, 10_000);
        OutputFile.check("--out", file);
        Classification examples = idx == null ? Classification.madeUp() : IdxFiles.read(idx);
        Perceptron model = new Perceptron(examples.width(), hidden, examples.classes(), 1);
        ByteBuffer recording = ByteBuffer.allocate(length(model)).order(LITTLE_ENDIAN);
        PrintWriter out = spec.commandLine().getOut();
        float[] update = new float[model.size()];
        int[] rows = new int[BATCH];
        SplittableRandom random = new SplittableRandom(2);
        double loss = 0;
        for (int clock = 0; clock < before + clocks; clock++) {
            for (int i = 0; i < rows.length; i++) {
                rows[i] = random.nextInt(examples.size());
            }
            loss = model.step(examples, rows, RATE, MOMENTUM, update);
            if (clock >= before) {
                recording.asFloatBuffer().put(update);
                recording.position(recording.position() + update.length * Float.BYTES);
            }
        }
        OutputFile.write(file, recording.array());
        out.printf(
                "%s, %,d parameters: loss of the last batch %.4f after %,d clocks; updates of the last %,d in %s%n",
                examples.name(), model.size(), loss, before + clocks, clocks, file);
        out.printf("use them with:  --data %s --clocks %d%n", file, clocks);
        return ExitCode.OK;
    }

    /** Bytes of the recording, which is one array. */
    private int length(Perceptron model) {
        long most = Integer.MAX_VALUE / ((long) model.size() * Float.BYTES);
        if (clocks > most) {
            throw new IllegalArgumentException("--clocks is " + clocks + ", expected at most " + most + " of "
                    + model.size() + " parameters: a recording is less than 2 GiB");
        }
        return clocks * model.size() * Float.BYTES;
    }

    private static void require(String option, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(option + " is " + value + ", expected " + least + " to " + most);
        }
    }
}
