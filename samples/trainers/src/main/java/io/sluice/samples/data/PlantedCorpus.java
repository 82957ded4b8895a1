package io.sluice.samples.data;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Creates documents of known topics. The words of a topic follow Zipf's law, beginning with a word of its own. A
 * document has three topics: the probability that a word is of the first is 0.6, of the second 0.3, of the third 0.1.
 *
 * @param documents number of documents
 * @param words number of different words
 * @param length words in a document
 * @param topics number of topics
 */
public record PlantedCorpus(int documents, int words, int length, int topics) {
    /** A corpus in the shape of the Brown corpus. */
    public static final PlantedCorpus LIKE_BROWN = new PlantedCorpus(500, 13_000, 753, 50);

    private static final double FIRST = 0.6;
    private static final double FIRST_TWO = 0.9;

    /** Refuses empty shapes, and those without a document to hold out. */
    public PlantedCorpus {
        if (documents < 10 || words < 1 || length < 1 || topics < 1) {
            throw new IllegalArgumentException(documents + " documents of " + length + " of " + words + " words and "
                    + topics + " topics, expected positive numbers, and at least 10 documents");
        }
    }

    /**
     * Creates the documents.
     *
     * @param seed the same seed gives the same documents
     * @return the documents, every tenth of them held out
     */
    public Corpus generate(long seed) {
        Random random = new Random(seed);
        Zipf zipf = new Zipf(words);
        int[] first = random.ints(topics, 0, words).toArray();
        List<int[]> all = new ArrayList<>();
        for (int document = 0; document < documents; document++) {
            int[] own = random.ints(3, 0, topics).toArray();
            int[] text = new int[length];
            for (int at = 0; at < length; at++) {
                double share = random.nextDouble();
                int topic = own[share < FIRST ? 0 : share < FIRST_TWO ? 1 : 2];
                text[at] = (first[topic] + zipf.draw(random)) % words;
            }
            all.add(text);
        }
        return Corpus.split("planted", words, all);
    }
}
