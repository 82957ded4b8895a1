package io.sluice.samples.data;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * The e-mails of the SpamAssassin public corpus, spam (label 1) and wanted mail (label 0), which ship with these
 * samples as counts of hashed words: 6,046 rows, of which 1,209 are held out.
 *
 * <p>A word's 32-bit hash is folded to a feature by its low bits. If several words of an e-mail share a feature, their
 * counts are added. The counts then become values as {@link WordValue} defines, and each row is scaled to Euclidean
 * length 1, so a long e-mail weighs no more than a short one. There is no constant feature: a model of this data is
 * better without a bias.
 */
public final class SpamAssassin {

    /** The default number of features: 2<sup>20</sup>. */
    public static final int DEFAULT_FEATURES = 1 << 20;

    /** The minimum number of features: 2<sup>10</sup>. */
    public static final int LEAST_FEATURES = 1 << 10;

    /** The maximum number of features: 2<sup>26</sup>. */
    public static final int MOST_FEATURES = 1 << 26;

    private static final String NAME = "spam-assassin";

    /** The file of the e-mails, shipped and as {@link PrepareSpamAssassin} writes it. */
    static final String FILE = NAME + ".bin.gz";

    private SpamAssassin() {}

    /**
     * Loads the e-mails with {@link WordValue#PRESENCE}.
     *
     * @param features a power of two from {@link #LEAST_FEATURES} to {@link #MOST_FEATURES}
     * @throws IllegalArgumentException if {@code features} is any other number
     * @throws DataFormatException      if the shipped file is damaged or missing
     * @throws IOException              if it cannot be read
     */
    public static Dataset load(int features) throws IOException {
        return load(features, WordValue.PRESENCE);
    }

    /**
     * Loads the e-mails.
     *
     * @param features a power of two from {@link #LEAST_FEATURES} to {@link #MOST_FEATURES}
     * @param value    how a word's count becomes its value
     * @throws IllegalArgumentException if {@code features} is any other number
     * @throws DataFormatException      if the shipped file is damaged or missing
     * @throws IOException              if it cannot be read
     */
    public static Dataset load(int features, WordValue value) throws IOException {
        requireFeatures(features);
        return dataset(readMails(), features, value);
    }

    /**
     * Loads the e-mails from a folder, with {@link WordValue#PRESENCE}.
     *
     * @param folder   folder of the e-mails as {@link PrepareSpamAssassin} writes them
     * @param features a power of two from {@link #LEAST_FEATURES} to {@link #MOST_FEATURES}
     * @throws IllegalArgumentException if {@code features} is any other number
     * @throws DataFormatException      if there is no such file in the folder, or it is damaged
     * @throws IOException              if it cannot be read
     */
    public static Dataset load(Path folder, int features) throws IOException {
        requireFeatures(features);
        Path file = folder.resolve(FILE);
        if (!Files.exists(file)) {
            throw new DataFormatException("the folder " + folder + " has no file " + FILE
                    + ", expected the data set spam-assassin or a file in libsvm format");
        }
        return dataset(HashedMailReader.read(file.toString(), Files.readAllBytes(file)), features, WordValue.PRESENCE);
    }

    private static Dataset dataset(List<HashedMail> mails, int features, WordValue value) {
        Examples.Builder train = new Examples.Builder();
        Examples.Builder test = new Examples.Builder();
        for (HashedMail mail : mails) {
            addRow(mail, features, value, mail.test() ? test : train);
        }
        return new Dataset(NAME, features, train.build(), test.build());
    }

    private static void requireFeatures(int features) {
        if (Integer.bitCount(features) != 1 || features < LEAST_FEATURES || features > MOST_FEATURES) {
            throw new IllegalArgumentException("features must be a power of two from " + LEAST_FEATURES + " to "
                    + MOST_FEATURES + ", not " + features);
        }
    }

    /** Reads the shipped file, so that tests can inspect its content. */
    static List<HashedMail> readMails() throws IOException {
        try (InputStream in = SpamAssassin.class.getResourceAsStream(FILE)) {
            if (in == null) {
                throw new DataFormatException(FILE + ": missing from the class path");
            }
            return HashedMailReader.read(FILE, in.readAllBytes());
        }
    }

    private static void addRow(HashedMail mail, int features, WordValue value, Examples.Builder rows) {
        long[] entries = fold(mail, features);
        double squares = 0;
        for (long entry : entries) {
            float v = value.of(count(entry));
            squares += v * v;
        }
        double scale = 1 / Math.sqrt(squares);
        for (long entry : entries) {
            rows.add(feature(entry), (float) (value.of(count(entry)) * scale));
        }
        rows.endRow(mail.spam() ? 1 : 0);
    }

    /** Returns the e-mail's features in ascending order, each once: feature in the high half, count in the low. */
    private static long[] fold(HashedMail mail, int features) {
        long[] entries = new long[mail.hashes().length];
        for (int i = 0; i < entries.length; i++) {
            entries[i] = (long) (mail.hashes()[i] & (features - 1)) << 32 | mail.counts()[i];
        }
        Arrays.sort(entries);
        int merged = 0;
        for (long entry : entries) {
            if (merged > 0 && feature(entries[merged - 1]) == feature(entry)) {
                entries[merged - 1] += count(entry);
            } else {
                entries[merged] = entry;
                merged++;
            }
        }
        return Arrays.copyOf(entries, merged);
    }

    private static int feature(long entry) {
        return (int) (entry >>> 32);
    }

    private static int count(long entry) {
        return (int) entry;
    }
}
