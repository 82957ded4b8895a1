package io.sluice.samples.lr;

import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.LibSvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Random;

/** Small data sets for tests, made from a seed by way of the libsvm reader. */
final class Rows {
    private Rows() {}

    /** Rows of a few features each, with labels that a hidden line through the origin decides. */
    static Dataset separable(int rows, int features, long seed) {
        Random random = new Random(seed);
        double[] hidden = random.doubles(features, -1, 1).toArray();
        StringBuilder text = new StringBuilder();
        for (int row = 0; row < rows; row++) {
            StringBuilder entries = new StringBuilder();
            double margin = 0;
            for (int index = random.nextInt(features / 8);
                    index < features;
                    index += 1 + random.nextInt(features / 4)) {
                double value = random.nextDouble(-2, 2);
                margin += hidden[index] * value;
                entries.append(' ').append(index + 1).append(':').append(String.format(Locale.ROOT, "%.4f", value));
            }
            text.append(margin > 0 ? "1" : "0").append(entries).append('\n');
        }
        return parsed(text.toString(), features);
    }

    /** The rows of a text in libsvm's format; every fifth is held out. */
    static Dataset parsed(String text, int features) {
        try {
            Path file = Files.createTempFile("rows", ".libsvm");
            try {
                return LibSvm.read(Files.writeString(file, text), features);
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new IllegalStateException("cannot write and read a temporary file", e);
        }
    }
}
