package io.sluice.samples.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LibSvmTest {

    private static final String FIVE = "1 1:1\n0 1:1\n1 1:1\n0 1:1\n1 1:1\n";

    @TempDir
    Path directory;

    @Test
    void readsExamples() throws IOException {
        Dataset data = read("1 1:0.5 3:-2e1\n0\n+1\t2:+.25\n0 7:3. \n1 1:1 2:2\n");
        assertEquals("data.svm", data.name());
        assertEquals(7, data.features());
        assertEquals(4, data.train().size());
        assertEquals(1, data.test().size());
        assertRow(data.train(), 0, 1, new int[] {0, 2}, 0.5f, -20);
        assertRow(data.train(), 1, 0, new int[] {});
        assertRow(data.train(), 2, 1, new int[] {1}, 0.25f);
        assertRow(data.train(), 3, 0, new int[] {6}, 3);
        assertRow(data.test(), 0, 1, new int[] {0, 1}, 1, 2);
    }

    @Test
    void readsSignsAsLabels() throws IOException {
        Dataset data = read("-1 1:1\n+1 1:1\n-1.0 1:1\n1 1:1\n-1 1:1\n");
        assertEquals(0, data.train().label(0));
        assertEquals(1, data.train().label(1));
        assertEquals(0, data.train().label(2));
        assertEquals(0, data.test().label(0));
    }

    @Test
    void skipsCommentsAndBlankLines() throws IOException {
        Dataset data = read("# five\n\n \t\n1 1:1 # one: 2:2\r\n1#\n1 3:1\n0 1:1\n  0 1:1");
        assertEquals(3, data.features());
        assertEquals(4, data.train().size());
        assertEquals(1, data.test().size());
    }

    @Test
    void holdsOutEveryFifthExample() throws IOException {
        Dataset data = read("0 1:1\n0 1:1\n0 1:1\n0 1:1\n1 1:1\n".repeat(3) + "0 1:1\n");
        assertEquals(13, data.train().size());
        assertEquals(3, data.test().size());
        for (int row = 0; row < 3; row++) {
            assertEquals(1, data.test().label(row));
        }
    }

    @Test
    void takesTheDeclaredNumberOfFeatures() throws IOException {
        assertEquals(100, LibSvm.read(file(FIVE), 100).features());
        assertEquals(1, LibSvm.read(file(FIVE), 1).features());
    }

    @Test
    void refusesAnIndexAboveTheDeclaredNumber() throws IOException {
        Path file = file(FIVE + "1 1:1 5:1\n");
        DataFormatException e = assertThrows(DataFormatException.class, () -> LibSvm.read(file, 4));
        assertEquals(file + ":6:7: expected an index from 1 to 4, found \"5\"", e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, 0, LibSvm.MOST_FEATURES + 1})
    void refusesToDeclareOtherNumbersOfFeatures(int features) {
        assertThrows(IllegalArgumentException.class, () -> LibSvm.read(file(FIVE), features));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        2 1:1           | 1  | a label (0 or 1, or -1 or +1)            | "2"
        ` spam 1:1`     | 2  | a label (0 or 1, or -1 or +1)            | "spam"
        NaN 1:1         | 1  | a label (0 or 1, or -1 or +1)            | "NaN"
        :1              | 1  | a label (0 or 1, or -1 or +1)            | ":"
        1:1 2:1         | 2  | a blank after the label                  | ":"
        -1 1:1          | 1  | a label of 1 or 0, as on the lines before | "-1"
        1 0:1           | 3  | an index from 1 to 67108864              | "0"
        1 -1:1          | 3  | an index from 1 to 67108864              | "-1"
        1 67108865:1    | 3  | an index from 1 to 67108864              | "67108865"
        1 4294967297:1  | 3  | an index from 1 to 67108864              | "4294967297"
        1 qid:3         | 3  | an index from 1 to 67108864              | "qid"
        1 :3            | 3  | an index from 1 to 67108864              | ":"
        1 2:1 2:1       | 7  | an index above 2, as indices ascend      | "2"
        1 2:1 1:1       | 7  | an index above 2, as indices ascend      | "1"
        1 2             | 4  | a colon after the index                  | the end of the line
        1 2 3:1         | 4  | a colon after the index                  | " "
        1 2:            | 5  | a finite number                          | the end of the line
        1 2: 1          | 5  | a finite number                          | " "
        1 2:# 1         | 5  | a finite number                          | the end of the line
        1 2::1          | 5  | a finite number                          | ":"
        1 2:x           | 5  | a finite number                          | "x"
        1 2:NaN         | 5  | a finite number                          | "NaN"
        1 2:-Infinity   | 5  | a finite number                          | "-Infinity"
        1 2:1e39        | 5  | a finite number                          | "1e39"
        1 2:1f          | 5  | a finite number                          | "1f"
        1 2:0x1p1       | 5  | a finite number                          | "0x1p1"
        1 2:1,5         | 5  | a finite number                          | "1,5"
        1 2:--1         | 5  | a finite number                          | "--1"
        1 2:1:1         | 6  | a blank after the value                  | ":"
        """)
    void saysWhereAndWhatWasExpected(String line, int column, String expected, String found) throws IOException {
        Path file = file(FIVE + "# and then\n" + line + "\n" + FIVE);
        DataFormatException e = assertThrows(DataFormatException.class, () -> LibSvm.read(file));
        assertEquals(file + ":7:" + column + ": expected " + expected + ", found " + found, e.getMessage());
    }

    @Test
    void quotesLittleOfALongToken() throws IOException {
        Path file = file("1".repeat(1000));
        DataFormatException e = assertThrows(DataFormatException.class, () -> LibSvm.read(file));
        assertEquals(
                file + ":1:1: expected a label (0 or 1, or -1 or +1), found \"" + "1".repeat(12) + "\"",
                e.getMessage());
    }

    @Test
    void readsWhatGzipHasCompressed() throws IOException {
        byte[] packed = gzip(FIVE);
        assertEquals(
                4,
                LibSvm.read(Files.write(directory.resolve("whole.gz"), packed))
                        .train()
                        .size());
        Path cut = Files.write(directory.resolve("cut.gz"), Arrays.copyOf(packed, packed.length - 9));
        DataFormatException damaged = assertThrows(DataFormatException.class, () -> LibSvm.read(cut));
        assertTrue(damaged.getMessage().startsWith(cut + " is damaged behind line "), damaged.getMessage());
    }

    private static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(StandardCharsets.US_ASCII));
        }
        return bytes.toByteArray();
    }

    @ParameterizedTest
    @CsvSource({"fffe3100, text in UTF-16", "504b030414, a zip archive", "28b52ffd04, compressed with zstd"})
    void namesFilesOfOtherKinds(String bytes, String kind) throws IOException {
        Path file = Files.write(directory.resolve("other"), HexFormat.of().parseHex(bytes));
        DataFormatException e = assertThrows(DataFormatException.class, () -> LibSvm.read(file));
        assertEquals(
                file + " is " + kind + ", expected plain ASCII text, or that compressed with gzip", e.getMessage());
    }

    @Test
    void refusesBytesThatAreNoText() throws IOException {
        Path file = directory.resolve("bytes");
        Files.write(file, new byte[] {'1', ' ', (byte) 0xFF, 0, '\n'});
        DataFormatException e = assertThrows(DataFormatException.class, () -> LibSvm.read(file));
        assertEquals(file + ":1:3: expected an index from 1 to 67108864, found \"\u00ff?\"", e.getMessage());
    }

    @Test
    void refusesTooFewExamplesAndNoFeatures() throws IOException {
        assertEnd("", ":1:1: expected at least 5 examples, found 0");
        assertEnd("1 1:1\n# end", ":3:1: expected at least 5 examples, found 1");
        assertEnd("1\n0\n1\n0\n1\n", ":6:1: expected at least one feature in the file, found none");
    }

    @Test
    void leavesAMissingFileToTheCaller() {
        assertThrows(NoSuchFileException.class, () -> LibSvm.read(directory.resolve("none")));
    }

    private void assertEnd(String text, String message) throws IOException {
        Path file = file(text);
        DataFormatException e = assertThrows(DataFormatException.class, () -> LibSvm.read(file));
        assertEquals(file + message, e.getMessage());
    }

    private static void assertRow(Examples examples, int row, float label, int[] indices, float... values) {
        assertEquals(label, examples.label(row));
        assertEquals(indices.length, examples.end(row) - examples.start(row));
        int[] foundIndices = new int[indices.length];
        float[] foundValues = new float[indices.length];
        for (int i = 0; i < indices.length; i++) {
            foundIndices[i] = examples.index(examples.start(row) + i);
            foundValues[i] = examples.value(examples.start(row) + i);
        }
        assertArrayEquals(indices, foundIndices);
        assertArrayEquals(values, foundValues);
    }

    private Dataset read(String text) throws IOException {
        return LibSvm.read(file(text));
    }

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("data.svm"), text, StandardCharsets.ISO_8859_1);
    }
}
