package io.sluice.samples.lda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;

/** Compares the sampler with the formula, term by term, for all topics. */
class TopicSamplerTest {
    private static final int TOPICS = 7;
    private static final int WORDS = 11;
    private static final int GRID = 20_000;
    private static final LdaSettings SETTINGS = new LdaSettings(TOPICS, 0.3, 0.07, 1, 1, 1);

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);
    private final TopicSampler sampler = new TopicSampler(WORDS, SETTINGS);
    private final int[][] words = new int[WORDS][TOPICS];
    private final int[] totals = new int[TOPICS];
    private final int[] inDocument = new int[TOPICS];
    private final int[] document = random.ints(30, 0, WORDS).toArray();
    private final char[] topics = new char[document.length];

    /** Counts as of a replica that is behind: some are below zero, and totals are not the sums of the others. */
    private void load() {
        for (int i = 0; i < WORDS * TOPICS; i++) {
            words[i / TOPICS][i % TOPICS] = Math.max(-2, random.nextInt(12) - 5);
            sampler.words()[i] = words[i / TOPICS][i % TOPICS];
        }
        for (int topic = 0; topic < TOPICS; topic++) {
            totals[topic] = random.nextInt(40) - 2;
            sampler.totals()[topic] = totals[topic];
        }
        for (int at = 0; at < topics.length; at++) {
            topics[at] = (char) random.nextInt(TOPICS - 1); // none in the last
            inDocument[topics[at]]++;
        }
        sampler.loaded();
        sampler.open(topics);
    }

    private void count(int word, int topic, int by) {
        words[word][topic] += by;
        totals[topic] += by;
        inDocument[topic] += by;
        sampler.count(word, topic, by);
        assertEquals(inDocument[topic], sampler.documentCount(topic));
    }

    private double term(int word, int topic) {
        return (SETTINGS.alpha() + inDocument[topic])
                * (SETTINGS.beta() + Math.max(0, words[word][topic]))
                / (Math.max(0, totals[topic]) + WORDS * SETTINGS.beta());
    }

    private void compare(int word) {
        int[] drawn = new int[TOPICS];
        for (int i = 0; i < GRID; i++) {
            drawn[sampler.draw(word, (i + 0.5) / GRID)]++;
        }
        double mass = 0;
        for (int topic = 0; topic < TOPICS; topic++) {
            mass += term(word, topic);
        }
        assertEquals(mass, sampler.mass(), 1e-9 * mass, () -> "seed " + seed);
        for (int topic = 0; topic < TOPICS; topic++) {
            // A topic has a part of each of three sums; a part is right to one step of the grid at either end.
            assertEquals(term(word, topic) / mass, (double) drawn[topic] / GRID, 3.0 / GRID, () -> "seed " + seed);
        }
    }

    @RepeatedTest(20)
    void drawsEachTopicWithItsProbability() {
        load();
        for (int at = 0; at < document.length; at++) {
            count(document[at], topics[at], -1);
            compare(document[at]);
            count(document[at], random.nextInt(TOPICS), 1);
        }
    }

    @RepeatedTest(5)
    void staysInRangeAtTheEndsOfTheNumbers() {
        load();
        for (int word = 0; word < WORDS; word++) {
            for (double uniform : new double[] {0, Math.nextDown(1.0)}) {
                int topic = sampler.draw(word, uniform);
                assertTrue(topic >= 0 && topic < TOPICS, "seed " + seed);
            }
        }
    }
}
