package io.sluice.samples.lda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.samples.data.Corpus;
import io.sluice.samples.data.PlantedCorpus;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WorkerDocumentsTest {
    private static final Corpus CORPUS = new PlantedCorpus(31, 100, 20, 3).generate(1);

    private static WorkerDocuments of(int worker, int workers, int clocksPerPass) {
        return new WorkerDocuments(CORPUS, worker, workers, new LdaSettings(5, 0.1, 0.1, 2, clocksPerPass, 9));
    }

    @Test
    void areDealtWithTheSameFirstTopicsWhateverTheNumberOfWorkers() {
        WorkerDocuments all = of(0, 1, 1);
        assertEquals(28, all.size());
        for (int worker = 0; worker < 3; worker++) {
            WorkerDocuments own = of(worker, 3, 1);
            assertEquals(worker == 0 ? 10 : 9, own.size());
            for (int document = 0; document < own.size(); document++) {
                assertSame(all.words(3 * document + worker), own.words(document));
                assertArrayEquals(all.topics(3 * document + worker), own.topics(document));
            }
        }
    }

    @Test
    void eachWorkerHasItsOwnRandomNumbersInEachClock() {
        Set<Long> first = new HashSet<>();
        for (int clock = 1; clock <= 100; clock++) {
            for (int worker = 0; worker < 100; worker++) {
                long number = WorkerDocuments.stream(9, clock, worker).nextLong();
                assertTrue(first.add(number), "clock " + clock + " of worker " + worker);
            }
        }
    }

    @Test
    void areAllDrawnOnceInAPass() {
        WorkerDocuments own = of(1, 2, 4);
        TopicCounts counts = TopicCounts.first(CORPUS, new LdaSettings(5, 0.1, 0.1, 2, 4, 9));
        TopicSampler sampler = new TopicSampler(CORPUS.words(), new LdaSettings(5, 0.1, 0.1, 2, 4, 9));
        System.arraycopy(counts.words(), 0, sampler.words(), 0, counts.words().length);
        System.arraycopy(counts.totals(), 0, sampler.totals(), 0, counts.totals().length);
        sampler.loaded();
        int[] documents = new int[1];
        TopicMoves moves = new TopicMoves() {
            @Override
            public void moved(int word, int from, int to, int fromWords, int toWords) {
                counts.move(word, from, to, fromWords, toWords);
            }

            @Override
            public void endOfDocument() {
                documents[0]++;
            }
        };
        for (int clock = 1; clock <= 4; clock++) {
            own.take(clock, sampler, moves);
        }
        assertEquals(own.size(), documents[0]);
        assertArrayEquals(counts.words(), sampler.words());
        assertArrayEquals(counts.totals(), sampler.totals());
        float[] pairs = new float[counts.pairs().length];
        for (int document = 0; document < own.size(); document++) {
            addPairs(own.topics(document), pairs);
            addPairs(of(0, 2, 4).topics(document), pairs); // nothing has moved there
        }
        assertArrayEquals(pairs, counts.pairs());
    }

    private static void addPairs(char[] topics, float[] pairs) {
        int[] inDocument = new int[5];
        for (char topic : topics) {
            inDocument[topic]++;
        }
        for (int words : inDocument) {
            pairs[words]++;
        }
    }

    @Test
    void returnToTheTopicsOfASnapshot() {
        WorkerDocuments first = of(0, 2, 1);
        first.topics(3)[5] = 4;
        first.topics(13)[19] = 3;
        WorkerDocuments second = of(0, 2, 1);
        second.restore(first.save());
        for (int document = 0; document < first.size(); document++) {
            assertArrayEquals(first.topics(document), second.topics(document));
        }
    }

    @Test
    void topicsOfOtherDocumentsAreRefused() {
        byte[] saved = of(0, 2, 1).save();
        assertRefused(Arrays.copyOf(saved, saved.length - 2), "the topics of the snapshot have " + (saved.length - 2));
        saved[6] = 1;
        assertRefused(saved, "topic 3 of the snapshot is");
    }

    private static void assertRefused(byte[] state, String words) {
        WorkerDocuments documents = of(0, 2, 1);
        byte[] before = documents.save();
        String message = assertThrows(IllegalArgumentException.class, () -> documents.restore(state))
                .getMessage();
        assertTrue(message.startsWith(words), message);
        assertArrayEquals(before, documents.save());
    }

    @Test
    void areRefusedIfTheyAreTooFew() {
        assertEquals(
                "there are 28 training documents for 10 workers and 3 clocks per pass, expected at least one each",
                assertThrows(IllegalArgumentException.class, () -> of(0, 10, 3)).getMessage());
    }
}
