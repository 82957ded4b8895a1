package io.sluice.samples.mf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.local.LocalCluster;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.WorkerSet;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.samples.ReplicaHash;
import io.sluice.samples.UpdateListener;
import io.sluice.samples.data.PlantedRatings;
import io.sluice.samples.data.RatingSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The factors that all workers hold in the end. */
@Timeout(120)
class MfReplicasTest {
    private static final double NOISE = 0.1;
    private static final RatingSet DATA = new PlantedRatings(60, 90, 2_600, 2, NOISE).generate(17);

    /** What a worker, or the reference, reports. */
    private static class Course implements MfTrainer.Progress {
        private final List<MfEvaluation> passes = new ArrayList<>();
        private int clocks;

        @Override
        public void onClock(int clock, double rmse) {
            assertEquals(++clocks, clock);
            assertTrue(rmse > 0 && rmse < 2, "error " + rmse);
        }

        @Override
        public void onPass(int pass, Supplier<MfEvaluation> evaluation) {
            passes.add(evaluation.get());
            assertEquals(passes.size(), pass);
        }
    }

    private static MfSettings settings(int passes, int clocksPerPass) {
        return new MfSettings(4, 0.01, passes, clocksPerPass, 0.01, 5);
    }

    private static String reference(MfSettings mf, int workers, Course course) {
        List<Integer> all = IntStream.range(0, workers).boxed().toList();
        List<WorkerSet> workerSets = List.of(new WorkerSet(1, all));
        return ReplicaHash.of(MfReference.train(DATA, mf, workerSets, course, UpdateListener.NONE));
    }

    /** Trains with a whole cluster in this JVM; returns the hash of all replicas. */
    private static String job(ClusterSettingsBuilder terms, MfSettings mf, Course course) throws InterruptedException {
        ClusterSettings settings = terms.livenessMs(10_000).sliceElements(70).build();
        String[] hashes = new String[settings.workers()];
        LocalCluster.run(
                settings,
                worker -> hashes[worker.index()] = train(worker, mf, worker.index() == 0 ? course : new Course()));
        assertEquals(1, Arrays.stream(hashes).distinct().count(), () -> Arrays.toString(hashes));
        return hashes[0];
    }

    private static String train(Worker worker, MfSettings mf, Course course) {
        MfTrainer trainer = new MfTrainer(worker, DATA, mf);
        trainer.train(course);
        return ReplicaHash.of(trainer.tables().stream().map(Table::view).toList());
    }

    private static ClusterSettingsBuilder terms(int workers, int servers) {
        return ClusterSettings.builder().workers(workers).servers(servers);
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 1", "2, 2, 1", "3, 2, 4", "4, 1, 2"})
    void areTheReferences(int workers, int servers, int clocksPerPass) throws InterruptedException {
        MfSettings mf = settings(6, clocksPerPass);
        Course expected = new Course();
        Course course = new Course();
        assertEquals(reference(mf, workers, expected), job(terms(workers, servers), mf, course));
        assertEquals(expected.passes, course.passes);
        assertEquals(mf.clocks(), course.clocks);
    }

    /** What an iteration begins with is reported before its first step, after which newer parameters may arrive. */
    @Test
    void areReportedAsAnIterationReadsThem() throws InterruptedException {
        ClusterSettings settings = terms(2, 1)
                .consistency("ssp:2")
                .filter("none")
                .livenessMs(10_000)
                .build();
        LocalCluster.run(settings, worker -> {
            MfTrainer trainer = new MfTrainer(worker, DATA, settings(2, 3));
            List<Integer> read = new ArrayList<>();
            trainer.train(new Course() {
                @Override
                public void onRead(int clock) {
                    read.add(clock);
                    assertEquals(0, steps(trainer), 0);
                }

                @Override
                public void onComputed(int clock) {
                    assertEquals(clock, read.size());
                    assertTrue(steps(trainer) > 0);
                }
            });
            assertEquals(List.of(1, 2, 3, 4, 5, 6), read);
        });
    }

    /** The sum of the steps that have not been pushed, signs apart. */
    private static double steps(MfTrainer trainer) {
        double sum = 0;
        for (Table table : trainer.tables()) {
            for (long i = 0; i < table.spec().elements(); i++) {
                sum += Math.abs(table.pending().get(i));
            }
        }
        return sum;
    }

    @ParameterizedTest
    @ValueSource(strings = {"ssp:2", "tap"})
    void areIdenticalAndGoodEnoughUnderAnyRule(String consistency) throws InterruptedException {
        Course course = new Course();
        job(terms(3, 2).consistency(consistency), settings(30, 2), course);
        assertTrue(course.passes.getLast().testRmse() < course.passes.getFirst().testRmse(), course.passes::toString);
    }

    /** Parts of updates travel before their clock ends, and other workers read them within theirs. */
    @Test
    void areIdenticalUnderManagedCommunication() throws InterruptedException {
        Course course = new Course();
        ClusterSettingsBuilder terms = terms(3, 2)
                .protocol(Protocol.MANAGED)
                .linkBudget("100mbit", 65_536)
                .order("magnitude");
        job(terms, settings(30, 2), course);
        assertTrue(course.passes.getLast().testRmse() < course.passes.getFirst().testRmse(), course.passes::toString);
    }

    /** Under a rule with a rate of its own the trainer pushes plain gradients. */
    @ParameterizedTest
    @ValueSource(strings = {"adagrad:0.1", "adarevision:0.1", "adam:0.03"})
    void areLearntUnderRulesWithRates(String rule) throws InterruptedException {
        MfSettings mf = settings(15, 1);
        assertEquals(1, mf.rate(rule));
        Course fixed = new Course();
        reference(mf, 3, fixed);
        Course course = new Course();
        job(terms(3, 2).rule(rule), mf, course);
        double error = course.passes.getLast().trainError();
        double slow = fixed.passes.getLast().trainError();
        assertTrue(error < slow, error + ", and " + slow + " with a fixed step");
    }

    @Test
    void areLearntUnderTheMeanWithAStepOfTheTrainer() throws InterruptedException {
        MfSettings mf = settings(15, 1);
        assertEquals(mf.learningRate(), mf.rate("mean"));
        assertEquals(mf.learningRate(), mf.rate("sum"));
        Course course = new Course();
        job(terms(3, 2).rule("mean"), mf, course);
        assertTrue(
                course.passes.getLast().trainError() < course.passes.getFirst().trainError());
    }

    @Test
    void comeNearTheNoiseWithAFixedStep() {
        Course course = new Course();
        reference(settings(150, 1), 4, course);
        double first = course.passes.getFirst().testRmse();
        double last = course.passes.getLast().testRmse();
        assertTrue(first > 5 * NOISE, "it has to be learnt: " + first);
        assertTrue(last > 0.9 * NOISE && last < 1.5 * NOISE, "held-out error " + last);
    }

    @Test
    void areThoseOfTheWorkerSetsThatAnElasticJobReports() {
        MfSettings mf = settings(6, 2);
        List<WorkerSet> one = List.of(new WorkerSet(1, List.of(0, 1)));
        List<WorkerSet> two = List.of(new WorkerSet(1, List.of(0, 1)), new WorkerSet(5, List.of(1, 4)));
        List<WorkerSet> three = List.of(new WorkerSet(1, List.of(0, 1)), new WorkerSet(5, List.of(1, 4, 6)));
        float[] same = MfReference.train(DATA, mf, two, new Course(), UpdateListener.NONE);
        assertEquals(
                ReplicaHash.of(MfReference.train(DATA, mf, one, new Course(), UpdateListener.NONE)),
                ReplicaHash.of(same));
        float[] other = MfReference.train(DATA, mf, three, new Course(), UpdateListener.NONE);
        double difference = 0;
        for (int i = 0; i < same.length; i++) {
            difference = Math.max(difference, Math.abs(same[i] - other[i]));
        }
        assertTrue(difference > 0 && difference < 1e-4, "another order of the same sums: " + difference);
    }
}
