package io.sluice.samples.lda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.local.LocalCluster;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.samples.ReplicaHash;
import io.sluice.samples.UpdateListener;
import io.sluice.samples.data.Corpus;
import io.sluice.samples.data.PlantedCorpus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The counts that all workers hold in the end. */
@Timeout(120)
class LdaReplicasTest {
    private static final Corpus DATA = new PlantedCorpus(70, 300, 60, 4).generate(17);

    /** Mean perplexity after 40 passes of one worker with 24 seeds; single runs deviate by 8 %. */
    private static final double PLAIN_PERPLEXITY = 140;

    /** What a worker, or the reference, reports. */
    private static final class Course implements LdaTrainer.Progress {
        private final List<Double> likelihoods = new ArrayList<>();
        private double perplexity;
        private int clocks;

        @Override
        public void onClock(int clock, double loss) {
            assertEquals(++clocks, clock);
            assertTrue(loss > 0 && loss < Math.log(3 * DATA.words()), "loss " + loss);
        }

        @Override
        public void onPass(int pass, DoubleSupplier logLikelihood, DoubleSupplier lastPerplexity) {
            likelihoods.add(logLikelihood.getAsDouble());
            assertEquals(likelihoods.size(), pass);
            perplexity = lastPerplexity.getAsDouble();
        }
    }

    private static LdaSettings settings(int passes, int clocksPerPass) {
        return new LdaSettings(6, 0.1, 0.1, passes, clocksPerPass, 5);
    }

    private static String reference(LdaSettings lda, int workers, Course course) {
        return ReplicaHash.of(LdaReference.train(DATA, lda, workers, course, UpdateListener.NONE));
    }

    /** Trains with a whole cluster in this JVM; returns the hash of all replicas. */
    private static String job(ClusterSettingsBuilder terms, LdaSettings lda, Course course)
            throws InterruptedException {
        ClusterSettings settings = terms.livenessMs(10_000).sliceElements(72).build();
        String[] hashes = new String[settings.workers()];
        LocalCluster.run(
                settings,
                worker -> hashes[worker.index()] = train(worker, lda, worker.index() == 0 ? course : new Course()));
        assertEquals(1, Arrays.stream(hashes).distinct().count(), () -> Arrays.toString(hashes));
        return hashes[0];
    }

    /** Requires that the counts are those of the documents: whole numbers, none below 0, and no word is lost. */
    private static String train(Worker worker, LdaSettings lda, Course course) {
        LdaTrainer trainer = new LdaTrainer(worker, DATA, lda);
        trainer.train(course);
        float[] sums = new float[lda.topics()];
        for (int word = 0; word < DATA.words(); word++) {
            for (int topic = 0; topic < lda.topics(); topic++) {
                float count = trainer.tables().getFirst().get(word, topic);
                assertTrue(count >= 0 && count == Math.rint(count), "count " + count);
                sums[topic] += count;
            }
        }
        float all = 0;
        for (int topic = 0; topic < lda.topics(); topic++) {
            assertEquals(sums[topic], trainer.tables().get(1).get(0, topic));
            all += sums[topic];
        }
        assertEquals(DATA.size(), all);
        return ReplicaHash.of(trainer.tables().stream().map(Table::view).toList());
    }

    private static ClusterSettingsBuilder terms(int workers, int servers) {
        return ClusterSettings.builder().workers(workers).servers(servers);
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 1", "2, 2, 1", "3, 2, 4", "4, 1, 2"})
    void areTheReferences(int workers, int servers, int clocksPerPass) throws InterruptedException {
        LdaSettings lda = settings(5, clocksPerPass);
        Course expected = new Course();
        Course course = new Course();
        assertEquals(reference(lda, workers, expected), job(terms(workers, servers), lda, course));
        assertEquals(expected.likelihoods, course.likelihoods);
        assertEquals(expected.perplexity, course.perplexity);
        assertEquals(lda.clocks(), course.clocks);
    }

    /** All rules end near the likelihood of plain Gibbs sampling. */
    @ParameterizedTest
    @ValueSource(strings = {"ssp:2", "tap"})
    void areIdenticalAndGoodEnoughUnderAnyRule(String consistency) throws InterruptedException {
        Course course = new Course();
        job(terms(3, 2).consistency(consistency), settings(40, 2), course);
        requireGood(course);
    }

    private static void requireGood(Course course) {
        Course plain = new Course();
        reference(settings(40, 1), 1, plain);
        assertEquals(plain.likelihoods.getLast(), course.likelihoods.getLast(), 1_000, course.likelihoods::toString);
        assertTrue(course.likelihoods.getLast() > course.likelihoods.getFirst() + 2_000, course.likelihoods::toString);
        assertEquals(PLAIN_PERPLEXITY, course.perplexity, 0.2 * PLAIN_PERPLEXITY);
    }

    /** Parts of updates travel before their clock ends, and other workers read them within theirs. */
    @Tag("slow")
    @Test
    void areIdenticalUnderManagedCommunication() throws InterruptedException {
        Course course = new Course();
        ClusterSettingsBuilder terms = terms(3, 2)
                .protocol(Protocol.MANAGED)
                .linkBudget("100mbit", 65_536)
                .order("magnitude");
        job(terms, settings(40, 1), course);
        requireGood(course);
    }

    @Test
    void predictWordsBetterThanWithOneTopic() {
        Corpus corpus = new PlantedCorpus(200, 400, 200, 12).generate(3);
        assertTrue(perplexity(corpus, 12, 60) < 0.8 * perplexity(corpus, 1, 1));
    }

    private static double perplexity(Corpus corpus, int topics, int passes) {
        Course course = new Course();
        LdaSettings lda = new LdaSettings(topics, 0.1, 0.1, passes, 1, 5);
        LdaReference.train(corpus, lda, 1, course, UpdateListener.NONE);
        return course.perplexity;
    }

    @Test
    void areRefusedUnderTermsThatDoNotFitCounts() {
        ClusterSettings rule = terms(2, 1).rule("adagrad:0.1").build();
        String message = assertThrows(IllegalArgumentException.class, () -> LdaTrainer.requireFit(rule))
                .getMessage();
        assertTrue(message.startsWith("the rule is adagrad:0.1, expected sum"), message);
        ClusterSettings elastic = terms(2, 1).places(3).build();
        assertTrue(elastic.isElastic());
        assertThrows(IllegalArgumentException.class, () -> LdaTrainer.requireFit(elastic));
        ClusterSettings shrinking = terms(2, 1).onDeath(DeathPolicy.SHRINK).build();
        String shrinks = assertThrows(IllegalArgumentException.class, () -> LdaTrainer.requireFit(shrinking))
                .getMessage();
        assertTrue(
                shrinks.startsWith("the terms continue without a worker that dies (shrink), expected fail or wait"),
                shrinks);
        assertFalse(terms(2, 1).build().isElastic());
    }
}
