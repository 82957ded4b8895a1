package io.sluice.codecs;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.util.List;

/** The files under {@code golden/}: lines of words, written and documented by src/test/python/golden.py. */
final class GoldenLines {
    private GoldenLines() {}

    /** The words of every line that is not a comment. */
    static List<String[]> of(String file) {
        InputStream stream = GoldenLines.class.getResourceAsStream("/golden/" + file);
        if (stream == null) {
            throw new IllegalArgumentException("no golden file " + file);
        }
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(stream, UTF_8))) {
            return reader.lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split(" "))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
