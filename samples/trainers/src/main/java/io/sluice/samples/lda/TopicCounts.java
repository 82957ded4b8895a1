package io.sluice.samples.lda;

import io.sluice.samples.data.Corpus;
import java.util.Arrays;

/**
 * The counts of the tables of a model: how often each word is in each topic, how many words each topic has, and how
 * many pairs of a document and a topic have each number of words in common. The sampler does not use the last counts:
 * with them every worker can compute the likelihood, although only a document's worker has the topics of the
 * document.
 *
 * @param words counts of topics, word by word
 * @param totals counts of topics
 * @param pairs by number of words, pairs of a document and a topic
 */
record TopicCounts(float[] words, float[] totals, float[] pairs) {
    /** Creates counts of zero. */
    static TopicCounts zero(Corpus corpus, int topics) {
        return new TopicCounts(
                new float[Math.multiplyExact(corpus.words(), topics)], new float[topics], new float[pairs(corpus)]);
    }

    /** Creates the counts with which training begins. */
    static TopicCounts first(Corpus corpus, LdaSettings settings) {
        TopicCounts counts = zero(corpus, settings.topics());
        WorkerDocuments all = new WorkerDocuments(corpus, 0, 1, settings);
        for (int document = 0; document < all.size(); document++) {
            int[] inDocument = new int[settings.topics()];
            for (int at = 0; at < all.words(document).length; at++) {
                int topic = all.topics(document)[at];
                counts.words[all.words(document)[at] * settings.topics() + topic]++;
                counts.totals[topic]++;
                inDocument[topic]++;
            }
            for (int words : inDocument) {
                counts.pairs[words]++;
            }
        }
        return counts;
    }

    /** Length of {@link #pairs}. */
    static int pairs(Corpus corpus) {
        return corpus.longest() + 1;
    }

    /** Counts a move. */
    void move(int word, int from, int to, int fromWords, int toWords) {
        words[word * totals.length + from]--;
        words[word * totals.length + to]++;
        totals[from]--;
        totals[to]++;
        pairs[fromWords]--;
        pairs[fromWords - 1]++;
        pairs[toWords - 1]--;
        pairs[toWords]++;
    }

    /** All counts, one table after the other. */
    float[] all() {
        float[] all = Arrays.copyOf(words, words.length + totals.length + pairs.length);
        System.arraycopy(totals, 0, all, words.length, totals.length);
        System.arraycopy(pairs, 0, all, words.length + totals.length, pairs.length);
        return all;
    }
}
