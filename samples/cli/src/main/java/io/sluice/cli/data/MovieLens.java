package io.sluice.cli.data;

import io.sluice.samples.data.DataFormatException;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes the ratings of MovieLens as lines of text. The package has them as an R data frame. */
final class MovieLens {
    private MovieLens() {}

    /**
     * Writes the ratings of the R package as {@code ratings.csv}.
     *
     * @param unpacked the R package {@code dslabs}
     * @param target an empty folder, which receives {@code ratings.csv}
     * @throws IOException if a file cannot be read or written
     */
    static void convert(Path unpacked, Path target) throws IOException {
        Path folder = unpacked.resolve("usr/lib/R/site-library/dslabs/data");
        RValue table = new RDatabase(folder).read("movielens");
        try {
            write(table, target.resolve("ratings.csv"));
        } catch (IllegalArgumentException e) {
            throw new DataFormatException(folder + ": movielens: " + e.getMessage(), e);
        }
    }

    private static void write(RValue table, Path file) throws IOException {
        int[] users = table.get("userId", int[].class);
        int[] films = table.get("movieId", int[].class);
        double[] ratings = table.get("rating", double[].class);
        int[] times = table.get("timestamp", int[].class);
        if (films.length != users.length || ratings.length != users.length || times.length != users.length) {
            throw new IllegalArgumentException("the columns differ in length");
        }
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            out.write("userId,movieId,rating,timestamp\n");
            for (int i = 0; i < users.length; i++) {
                out.write(users[i] + "," + films[i] + "," + ratings[i] + "," + times[i] + "\n");
            }
        }
    }
}
