package io.sluice.samples.data;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Reads the Brown corpus as {@code sluice data brown} obtains it: files of words with their parts of speech. Words
 * count in lower case if they consist of at least three letters, are not stop words, occur at least five times, and
 * occur in at most half of the documents. Words are numbered in alphabetical order, and every tenth document, in the
 * order of names, is held out.
 */
public final class BrownCorpus {
    /** Name of a file by which a folder with the data set is recognised. */
    public static final String NAME = "ca01";

    /** Name of the file in the folder of the stop words. */
    public static final String STOP_WORDS = "words.json";

    private static final Pattern FILE = Pattern.compile("c[a-r][0-9]{2}");
    private static final Pattern WORD = Pattern.compile("[a-z]{3,}");
    private static final Pattern QUOTED = Pattern.compile("\"([^\"]*)\"");
    private static final int FEWEST_DOCUMENTS = 10;
    private static final int FEWEST_OCCURRENCES = 5;

    /** The number of occurrences of a word, and of documents in which it occurs. */
    private static final class Occurrences {
        private int words;
        private int documents;
    }

    private BrownCorpus() {}

    /**
     * Reads the data set.
     *
     * @param folder folder with the files of the corpus
     * @param stopWords folder with the file {@value #STOP_WORDS}, a list of words to omit; null to omit none
     * @return the documents
     * @throws DataFormatException if a folder lacks its files, or a file is not as expected
     * @throws IOException if a file cannot be read
     */
    public static Corpus read(Path folder, Path stopWords) throws IOException {
        Set<String> dropped = stopWords == null ? Set.of() : stopWords(stopWords);
        List<List<String>> documents = new ArrayList<>();
        Map<String, Occurrences> occurrences = new TreeMap<>();
        for (Path file : files(folder)) {
            List<String> words =
                    words(file).stream().filter(word -> !dropped.contains(word)).toList();
            documents.add(words);
            words.forEach(word -> occurrences.computeIfAbsent(word, _ -> new Occurrences()).words++);
            Set.copyOf(words).forEach(word -> occurrences.get(word).documents++);
        }
        Map<String, Integer> numbers = new TreeMap<>();
        occurrences.forEach((word, of) -> {
            if (of.words >= FEWEST_OCCURRENCES && 2 * of.documents <= documents.size()) {
                numbers.put(word, numbers.size());
            }
        });
        List<int[]> all = documents.stream()
                .map(words -> words.stream()
                        .filter(numbers::containsKey)
                        .mapToInt(numbers::get)
                        .toArray())
                .filter(document -> document.length > 0)
                .toList();
        if (all.size() < FEWEST_DOCUMENTS) {
            throw new DataFormatException("the folder " + folder + " has " + all.size()
                    + " texts with words that occur often enough, expected at least " + FEWEST_DOCUMENTS);
        }
        return Corpus.split("brown", numbers.size(), all);
    }

    private static Set<String> stopWords(Path folder) throws IOException {
        Path file = require(folder, STOP_WORDS, "stopwords");
        Set<String> words = new HashSet<>();
        Matcher quoted = QUOTED.matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
        while (quoted.find()) {
            words.add(quoted.group(1));
        }
        if (words.isEmpty()) {
            throw new DataFormatException(file + ": expected a list of words in quotation marks");
        }
        return words;
    }

    private static List<Path> files(Path folder) throws IOException {
        require(folder, NAME, "brown");
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(
                            file -> FILE.matcher(file.getFileName().toString()).matches())
                    .sorted()
                    .toList();
        }
    }

    private static Path require(Path folder, String name, String dataset) throws IOException {
        if (!Files.exists(folder)) {
            throw new NoSuchFileException(folder.toString());
        }
        if (!Files.exists(folder.resolve(name))) {
            throw new DataFormatException("the folder " + folder + " has no file " + name + ", expected the data set "
                    + dataset + ", which 'sluice data " + dataset + " DIR' obtains");
        }
        return folder.resolve(name);
    }

    private static List<String> words(Path file) throws IOException {
        List<String> words = new ArrayList<>();
        try (BufferedReader in = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1)) {
            int line = 1;
            for (String text = in.readLine(); text != null; text = in.readLine()) {
                for (String tagged : text.strip().split("\\s+")) {
                    int tag = tagged.lastIndexOf('/');
                    if (tag < 0 && !tagged.isEmpty()) {
                        throw new DataFormatException(
                                file + ":" + line + ": expected words with their parts of speech, such as jury/nn");
                    }
                    String word = tagged.substring(0, Math.max(0, tag)).toLowerCase(Locale.ROOT);
                    if (WORD.matcher(word).matches()) {
                        words.add(word);
                    }
                }
                line++;
            }
        }
        return words;
    }
}
