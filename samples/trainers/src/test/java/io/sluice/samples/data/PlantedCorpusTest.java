package io.sluice.samples.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class PlantedCorpusTest {
    private static final PlantedCorpus SMALL = new PlantedCorpus(40, 1_000, 300, 4);

    @Test
    void hasTheShapeOfTheBrownCorpus() {
        Corpus corpus = PlantedCorpus.LIKE_BROWN.generate(1);
        assertEquals(450, corpus.train().size());
        assertEquals(50, corpus.heldOut().size());
        assertEquals(13_000, corpus.words());
        assertEquals(753, corpus.longest());
        assertEquals(450 * 753, corpus.size());
    }

    @Test
    void isTheSameWithTheSameSeed() {
        assertEquals(SMALL.generate(7).fingerprint(), SMALL.generate(7).fingerprint());
        assertNotEquals(SMALL.generate(7).fingerprint(), SMALL.generate(8).fingerprint());
    }

    /** A document has at most three topics: their three first words alone are more than a tenth of a document. */
    @Test
    void repeatsFewWordsInADocument() {
        for (int[] document : SMALL.generate(3).heldOut()) {
            int[] counts = new int[1_000];
            for (int word : document) {
                counts[word]++;
            }
            Arrays.sort(counts);
            int first = counts[999] + counts[998] + counts[997];
            assertTrue(first > 30, "the most frequent words occur " + first + " times");
        }
    }

    @Test
    void isRefusedWithoutDocumentsToHoldOut() {
        assertThrows(IllegalArgumentException.class, () -> new PlantedCorpus(9, 10, 10, 2));
        assertThrows(IllegalArgumentException.class, () -> new PlantedCorpus(10, 0, 10, 2));
    }
}
