package io.sluice.perf.training;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.report.OutputFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Option;

/** Records the last updates of a training run. The file is raw little-endian f32, clock after clock. */
final class Recording {
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
            description = "Clocks to train before the recording starts (${DEFAULT-VALUE}).")
    private int before;

    /** Refuses invalid options before the training begins. */
    void check() throws IOException {
        Parameter.requireRange("--clocks", clocks, 1, 1_000);
        Parameter.requireRange("--after", before, 0, 1_000_000);
        OutputFile.check("--out", file);
    }

    /**
     * Trains, and writes the last updates.
     *
     * @param step one clock of the training: writes its update to the array, and returns the loss before it
     */
    void run(PrintWriter out, String name, int size, ToDoubleFunction<float[]> step) throws IOException {
        ByteBuffer recording = ByteBuffer.allocate(length(size)).order(LITTLE_ENDIAN);
        float[] update = new float[size];
        double loss = 0;
        for (int clock = 0; clock < before + clocks; clock++) {
            loss = step.applyAsDouble(update);
            if (clock >= before) {
                recording.asFloatBuffer().put(update);
                recording.position(recording.position() + update.length * Float.BYTES);
            }
        }
        OutputFile.write(file, recording.array());
        out.printf(
                "%s, %,d parameters: loss of the last batch %.4f after %,d clocks; updates of the last %,d in %s%n",
                name, size, loss, before + clocks, clocks, file);
        out.printf("use them with:  --data %s --clocks %d%n", file, clocks);
    }

    /** Number of bytes of the recording, which is one array. */
    private int length(int size) {
        long most = Integer.MAX_VALUE / ((long) size * Float.BYTES);
        if (clocks > most) {
            throw new IllegalArgumentException("--clocks is " + clocks + ", expected at most " + most + " of " + size
                    + " parameters: a recording is less than 2 GiB");
        }
        return clocks * size * Float.BYTES;
    }
}
