package io.sluice.samples.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BrownCorpusTest {
    private static final int TEXTS = 20;

    @TempDir
    private Path folder;

    /** Twenty texts with the same words, but for one word that differs. */
    private void texts(String tagged) throws IOException {
        for (int i = 0; i < TEXTS; i++) {
            String own = i < TEXTS / 2 ? "\n\tJury/nn jury/nn" : "Election/nn-hl election's/nn$ election/nn ./.";
            Files.writeString(folder.resolve("ca%02d".formatted(i + 1)), own + "\n" + tagged + "\n");
        }
        Files.writeString(folder.resolve("README"), "no text");
    }

    @Test
    void keepsWordsThatAreFrequentEnoughAndNotTooFrequent() throws IOException {
        texts("the/at often/rb ab/nn 1961/cd");
        Files.writeString(folder.resolve("ca01"), "rare/jj rare/jj rare/jj rare/jj jury/nn");
        Corpus corpus = BrownCorpus.read(folder, null);
        assertEquals("brown", corpus.name());
        assertEquals(2, corpus.words()); // election and jury, by alphabet
        assertEquals(TEXTS - 2, corpus.train().size());
        assertEquals(2, corpus.heldOut().size());
        assertArrayEquals(new int[] {1}, corpus.train().getFirst());
        assertArrayEquals(new int[] {1, 1}, corpus.heldOut().getFirst());
        assertArrayEquals(new int[] {0, 0}, corpus.heldOut().getLast());
        assertEquals(2, corpus.longest());
    }

    @Test
    void leavesStopWordsOut() throws IOException {
        texts("");
        Path stopWords = Files.createDirectory(folder.resolve("stop"));
        assertEquals(2, BrownCorpus.read(folder, null).words());
        Files.writeString(stopWords.resolve("words.json"), "[\n  \"about\",\n  \"jury\"\n]\n");
        assertTrue(assertThrows(DataFormatException.class, () -> BrownCorpus.read(folder, folder))
                .getMessage()
                .endsWith("has no file words.json, expected the data set stopwords, which 'sluice data stopwords DIR'"
                        + " obtains"));
        Corpus corpus = BrownCorpus.read(folder, stopWords);
        assertEquals(1, corpus.words());
        assertEquals(TEXTS / 2, corpus.train().size() + corpus.heldOut().size());
        Files.writeString(stopWords.resolve("words.json"), "[]");
        assertThrows(DataFormatException.class, () -> BrownCorpus.read(folder, stopWords));
    }

    @Test
    void namesWhatIsWrong() throws IOException {
        Path missing = folder.resolve("none");
        assertEquals(
                missing.toString(),
                assertThrows(NoSuchFileException.class, () -> BrownCorpus.read(missing, null))
                        .getMessage());
        assertTrue(refusal().contains(" has no file ca01, expected the data set brown"), this::refusal);
        texts("untagged");
        assertEquals(
                folder.resolve("ca01") + ":3: expected words with their parts of speech, such as jury/nn", refusal());
        texts("");
        Files.delete(folder.resolve("ca02"));
        for (int i = 3; i <= TEXTS; i++) {
            Files.writeString(folder.resolve("ca%02d".formatted(i)), "\n");
        }
        Files.writeString(folder.resolve("ca01"), "jury/nn jury/nn jury/nn jury/nn jury/nn");
        assertTrue(refusal().contains("has 1 texts"), this::refusal);
    }

    private String refusal() {
        return assertThrows(DataFormatException.class, () -> BrownCorpus.read(folder, null))
                .getMessage();
    }
}
