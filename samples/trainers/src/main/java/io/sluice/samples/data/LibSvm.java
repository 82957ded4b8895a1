package io.sluice.samples.data;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.zip.ZipException;

/**
 * Reads a text file in libsvm's format: one example a line, {@code label index:value index:value ...}.
 *
 * <ul>
 *   <li>The label is 0 or 1, or -1 or +1; a file keeps to one of the two ways. -1 is read as 0.
 *   <li>Indices count from 1 and ascend within a line; index {@code i} becomes feature {@code i - 1}.
 *   <li>A value is a finite decimal number. Features that a line does not name are 0; it may name none.
 *   <li>Blanks are spaces and tabs. A {@code #} starts a comment that runs to the end of the line. A line with only
 *   blanks and a comment is skipped.
 * </ul>
 *
 * <p>Every fifth example, in the file's order, is held out for testing. Values are not changed, and no constant feature
 * is added: if a model needs a bias, the file must have a feature that is always 1.
 */
public final class LibSvm {

    /** Maximum index that a file may use or a caller may declare: 2<sup>26</sup>. */
    public static final int MOST_FEATURES = 1 << 26;

    private static final int TEST_EVERY = 5;

    private final String file;
    private final int greatestAllowed;
    private final Examples.Builder train = new Examples.Builder();
    private final Examples.Builder test = new Examples.Builder();
    private int lines;
    private int examples;
    private int greatestIndex;
    private int negativeLabel = 1;

    private LibSvm(Path file, int greatestAllowed) {
        this.file = file.toString();
        this.greatestAllowed = greatestAllowed;
    }

    /**
     * Reads a file; the number of features is its greatest index.
     *
     * @throws DataFormatException if the file breaks the format or has fewer than five examples; the message starts
     *                             with {@code file:line:column:}, where both count from 1
     * @throws IOException         if the file cannot be read
     */
    public static Dataset read(Path file) throws IOException {
        LibSvm reader = new LibSvm(file, MOST_FEATURES);
        reader.readLines(file);
        return reader.dataset(file, reader.greatestIndex);
    }

    /**
     * Reads a file with a declared number of features.
     *
     * @param features features from 1 to {@link #MOST_FEATURES}; a greater index in the file breaks the format
     * @throws IllegalArgumentException if {@code features} is out of range
     * @throws DataFormatException      as {@link #read(Path)} does
     * @throws IOException              if the file cannot be read
     */
    public static Dataset read(Path file, int features) throws IOException {
        if (features < 1 || features > MOST_FEATURES) {
            throw new IllegalArgumentException("features must be from 1 to " + MOST_FEATURES + ", not " + features);
        }
        LibSvm reader = new LibSvm(file, features);
        reader.readLines(file);
        return reader.dataset(file, features);
    }

    private void readLines(Path path) throws IOException {
        // As Latin-1 no byte is malformed: an unexpected one is reported with its position.
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(TextFile.open(path), StandardCharsets.ISO_8859_1))) {
            for (String text = in.readLine(); text != null; text = in.readLine()) {
                lines++;
                LibSvmLine line = new LibSvmLine(file, lines, text);
                if (!line.atEnd()) {
                    readExample(line);
                }
            }
        } catch (EOFException | ZipException e) {
            throw new DataFormatException(file + " is damaged behind line " + lines + ": " + e.getMessage());
        }
    }

    private void readExample(LibSvmLine line) {
        examples++;
        Examples.Builder rows = examples % TEST_EVERY == 0 ? test : train;
        float label = readLabel(line);
        int index = 0;
        while (!line.atEnd()) {
            index = line.index(index, greatestAllowed);
            rows.add(index - 1, line.value());
        }
        greatestIndex = Math.max(greatestIndex, index);
        rows.endRow(label);
    }

    private float readLabel(LibSvmLine line) {
        int label = line.label();
        if (label != 1) {
            if (negativeLabel != 1 && negativeLabel != label) {
                throw line.expected("a label of 1 or " + negativeLabel + ", as on the lines before");
            }
            negativeLabel = label;
        }
        return label == 1 ? 1 : 0;
    }

    private Dataset dataset(Path path, int features) {
        String end = file + ":" + (lines + 1) + ":1: ";
        if (examples < TEST_EVERY) {
            throw new DataFormatException(end + "expected at least " + TEST_EVERY + " examples, found " + examples);
        }
        if (greatestIndex == 0) {
            throw new DataFormatException(end + "expected at least one feature in the file, found none");
        }
        return new Dataset(path.getFileName().toString(), features, train.build(), test.build());
    }
}
