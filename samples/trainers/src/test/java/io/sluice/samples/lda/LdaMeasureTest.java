package io.sluice.samples.lda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.samples.data.Corpus;
import io.sluice.samples.data.PlantedCorpus;
import java.util.List;
import org.junit.jupiter.api.Test;

class LdaMeasureTest {
    private static double logFactorial(int n) {
        double sum = 0;
        for (int i = 2; i <= n; i++) {
            sum += Math.log(i);
        }
        return sum;
    }

    /** With alpha and beta of 1, gamma(n + 1) is the factorial of n. */
    @Test
    void computesTheLogarithmOfTheProbabilityOfWordsAndTopics() {
        int topics = 3;
        LdaSettings settings = new LdaSettings(topics, 1, 1, 1, 1, 5);
        Corpus corpus = new PlantedCorpus(20, 6, 12, 2).generate(1);
        WorkerDocuments all = new WorkerDocuments(corpus, 0, 1, settings);
        int[][] words = new int[corpus.words()][topics];
        int[] totals = new int[topics];
        double expected = 0;
        for (int document = 0; document < all.size(); document++) {
            int[] inDocument = new int[topics];
            for (int at = 0; at < all.words(document).length; at++) {
                int topic = all.topics(document)[at];
                words[all.words(document)[at]][topic]++;
                totals[topic]++;
                inDocument[topic]++;
            }
            expected += logFactorial(topics - 1) - logFactorial(all.words(document).length + topics - 1);
            for (int count : inDocument) {
                expected += logFactorial(count);
            }
        }
        for (int topic = 0; topic < topics; topic++) {
            expected += logFactorial(corpus.words() - 1) - logFactorial(totals[topic] + corpus.words() - 1);
            for (int[] word : words) {
                expected += logFactorial(word[topic]);
            }
        }
        double computed = new LdaMeasure(corpus, settings).logLikelihood(TopicCounts.first(corpus, settings));
        assertEquals(expected, computed, 1e-9 * Math.abs(expected));
    }

    @Test
    void isPerplexedByAllWordsAlikeIfItHasCountedNone() {
        Corpus corpus = new PlantedCorpus(20, 50, 12, 2).generate(1);
        LdaSettings settings = new LdaSettings(3, 0.1, 0.1, 1, 1, 5);
        assertEquals(
                50, new LdaMeasure(corpus, settings).perplexity(TopicCounts.zero(corpus, settings.topics())), 1e-9);
    }

    /** Each document has one of two topics, whose words it repeats: its first half says which. */
    @Test
    void isPerplexedByTheWordsOfTheTopicOnly() {
        List<int[]> documents = List.of(new int[] {0, 1, 2, 3, 0, 1, 2, 3}, new int[] {4, 5, 6, 7, 4, 5, 6, 7});
        Corpus corpus = new Corpus("made", 8, documents, documents);
        LdaSettings settings = new LdaSettings(2, 1e-6, 1e-6, 1, 1, 5);
        TopicCounts counts = TopicCounts.zero(corpus, 2);
        for (int word = 0; word < 8; word++) {
            counts.words()[2 * word + word / 4] = 1_000;
            counts.totals()[word / 4] += 1_000;
        }
        double perplexity = new LdaMeasure(corpus, settings).perplexity(counts);
        assertEquals(4, perplexity, 1e-3);
        assertTrue(
                Double.isNaN(new LdaMeasure(new Corpus("made", 8, documents, List.of()), settings).perplexity(counts)));
    }
}
