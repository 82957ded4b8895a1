package io.sluice.samples.lda;

import java.util.Arrays;

/**
 * Draws topics of words (SparseLDA: Yao, Mimno and McCallum 2009). The probability of topic k for word w in document d
 * is proportional to {@code (a + n_dk) (b + n_wk) / (n_k + V b)}. The product falls into three sums: over the topics of
 * the word, over the topics of the document, and over all topics. Nearly all draws fall into the first sum, and the
 * first two sums have few terms.
 *
 * <p>Counts below zero, which a stale replica may have, count as zero.
 */
final class TopicSampler {
    private final int topics;
    private final double alpha;
    private final double beta;
    private final double betaOfAll;

    /** Word by word, the counts of its topics. */
    private final float[] words;

    /** For each topic, the number of words in all documents. */
    private final float[] totals;

    /** Word by word, the topics whose count is above 0; {@link #wordTopicCounts} states how many a word has. */
    private final char[] wordTopics;

    /** For each word, the number of topics whose count is above 0. */
    private final int[] wordTopicCounts;

    /** For each topic, the number of words in the open document. */
    private final int[] documentCounts;

    /** The distinct topics that occur in the open document, in the first {@link #documentTopicCount} entries. */
    private final int[] documentTopics;

    /** Number of distinct topics that occur in the open document. */
    private int documentTopicCount;

    /** For each topic, {@code 1 / (n_k + V b)}. */
    private final double[] inverse;

    /** For each topic, {@code (a + n_dk) / (n_k + V b)}. */
    private final double[] factor;

    /** The sum over all topics. */
    private double smoothingMass;

    /** The sum over the topics of the document. */
    private double documentMass;

    /** The sum over the topics of the last word. */
    private double wordMass;

    TopicSampler(int words, LdaSettings settings) {
        this.topics = settings.topics();
        this.alpha = settings.alpha();
        this.beta = settings.beta();
        this.betaOfAll = words * settings.beta();
        this.words = new float[Math.multiplyExact(words, topics)];
        this.totals = new float[topics];
        this.wordTopics = new char[this.words.length];
        this.wordTopicCounts = new int[words];
        this.documentCounts = new int[topics];
        this.documentTopics = new int[topics];
        this.inverse = new double[topics];
        this.factor = new double[topics];
    }

    /** The counts of the topics of all words, word by word; {@link #loaded} follows each change from outside. */
    float[] words() {
        return words;
    }

    /** The counts of all topics. */
    float[] totals() {
        return totals;
    }

    /** Handles counts that have changed from outside, between two documents. */
    void loaded() {
        for (int word = 0; word < wordTopicCounts.length; word++) {
            int count = 0;
            int start = word * topics;
            for (int topic = 0; topic < topics; topic++) {
                if (words[start + topic] > 0) {
                    wordTopics[start + count++] = (char) topic;
                }
            }
            wordTopicCounts[word] = count;
        }
    }

    /**
     * Opens a document.
     *
     * @param assigned the topics of its words
     */
    void open(char[] assigned) {
        Arrays.fill(documentCounts, 0);
        for (char topic : assigned) {
            documentCounts[topic]++;
        }
        documentTopicCount = 0;
        smoothingMass = 0;
        documentMass = 0;
        for (int topic = 0; topic < topics; topic++) {
            if (documentCounts[topic] > 0) {
                documentTopics[documentTopicCount++] = topic;
            }
            addMasses(topic);
        }
    }

    /** Number of words in the open document that are assigned to a topic. */
    int documentCount(int topic) {
        return documentCounts[topic];
    }

    /**
     * Adds a word of the open document to a topic, or removes it.
     *
     * @param by 1 or -1
     */
    void count(int word, int topic, int by) {
        smoothingMass -= alpha * beta * inverse[topic];
        documentMass -= documentCounts[topic] * beta * inverse[topic];
        totals[topic] += by;
        documentCounts[topic] += by;
        addMasses(topic);
        if (documentCounts[topic] == 1 && by > 0) {
            documentTopics[documentTopicCount++] = topic;
        } else if (documentCounts[topic] == 0) {
            dropFromDocument(topic);
        }
        countWord(word, topic, by);
    }

    private void addMasses(int topic) {
        inverse[topic] = 1 / (Math.max(0, totals[topic]) + betaOfAll);
        factor[topic] = (alpha + documentCounts[topic]) * inverse[topic];
        smoothingMass += alpha * beta * inverse[topic];
        documentMass += documentCounts[topic] * beta * inverse[topic];
    }

    private void dropFromDocument(int topic) {
        int at = 0;
        while (documentTopics[at] != topic) {
            at++;
        }
        documentTopics[at] = documentTopics[--documentTopicCount];
    }

    private void countWord(int word, int topic, int by) {
        int start = word * topics;
        float before = words[start + topic];
        float after = before + by;
        words[start + topic] = after;
        if (before <= 0 && after > 0) {
            wordTopics[start + wordTopicCounts[word]++] = (char) topic;
        } else if (before > 0 && after <= 0) {
            int at = start;
            while (wordTopics[at] != topic) {
                at++;
            }
            wordTopics[at] = wordTopics[start + --wordTopicCounts[word]];
        }
    }

    /**
     * Draws a topic for a word of the open document, which is counted in no topic.
     *
     * @param uniform a number from 0 to 1, exclusive
     */
    int draw(int word, double uniform) {
        int start = word * topics;
        int end = start + wordTopicCounts[word];
        double sum = 0;
        for (int at = start; at < end; at++) {
            sum += factor[wordTopics[at]] * words[start + wordTopics[at]];
        }
        wordMass = sum;
        double left = uniform * mass();
        if (left < wordMass) {
            return drawOfWord(start, end, left);
        }
        left -= wordMass;
        return left < documentMass && documentTopicCount > 0 ? drawOfDocument(left) : drawOfAll(left - documentMass);
    }

    private int drawOfWord(int start, int end, double mass) {
        double left = mass;
        for (int at = start; at < end; at++) {
            left -= factor[wordTopics[at]] * words[start + wordTopics[at]];
            if (left < 0) {
                return wordTopics[at];
            }
        }
        return wordTopics[end - 1]; // reached only through rounding errors of the subtractions
    }

    private int drawOfDocument(double mass) {
        double left = mass;
        for (int i = 0; i < documentTopicCount; i++) {
            left -= documentCounts[documentTopics[i]] * beta * inverse[documentTopics[i]];
            if (left < 0) {
                return documentTopics[i];
            }
        }
        return documentTopics[documentTopicCount - 1];
    }

    private int drawOfAll(double mass) {
        double left = mass;
        for (int topic = 0; topic < topics; topic++) {
            left -= alpha * beta * inverse[topic];
            if (left < 0) {
                return topic;
            }
        }
        return topics - 1;
    }

    /** The sum of all terms for the last word for which a topic was drawn. */
    double mass() {
        return wordMass + documentMass + smoothingMass;
    }
}
