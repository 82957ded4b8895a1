package io.sluice.perf.training;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.PolicySpec;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.filter.spi.FilterPolicy;
import io.sluice.filter.spi.FilterPolicyProvider;
import io.sluice.filter.spi.FilterSite;
import io.sluice.filter.spi.UpdateFilter;
import io.sluice.perf.cluster.Cluster;
import io.sluice.perf.cluster.Way;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Parameter Flow's lemmas 1 and 2 hold for filters that keep what they do not send, and not for one that loses it. */
@Timeout(240)
class TrueParametersTest {
    private static final int WORKERS = 3;
    private static final int CLOCKS = 24;
    private static final int ELEMENTS = 3_000;

    /** Random updates, of which a threshold of 0.1 holds back a part; worker 2 is slow. */
    private static Job wander(long seed) {
        return new Job(
                "random numbers",
                "none",
                "none",
                ELEMENTS,
                _ -> new Job.Quality(0, 0),
                Job.EQUAL_STEPS,
                (worker, clocks, _) -> {
                    Table table = worker.table("wander", 1, ELEMENTS);
                    return new Job.Training(List.of(table), course -> wander(worker, table, seed, clocks, course));
                });
    }

    private static void wander(Worker worker, Table table, long seed, int clocks, Course course) {
        worker.start(Initialiser.ZEROS);
        SplittableRandom random = new SplittableRandom(seed + worker.index());
        float[] update = new float[ELEMENTS];
        for (int clock = 1; clock <= clocks; clock++) {
            table.sync();
            for (int i = 0; i < update.length; i++) {
                update[i] = (float) (0.02 + 0.05 * random.nextGaussian());
            }
            course.onUpdate(clock, update);
            course.onComputed(clock);
            if (worker.index() == 2) {
                LockSupport.parkNanos(1_000_000);
            }
            table.update(update);
            worker.clock();
            course.onClock(clock);
        }
        worker.drain();
    }

    private static TrueParameters run(Job job, String terms, int clocks) throws IOException, InterruptedException {
        Way way = Way.parse("--ways", terms);
        TrueParameters truth = new TrueParameters(WORKERS, way.staleness(), job.step());
        ClusterSettings settings =
                way.on(ClusterSettings.builder().workers(WORKERS).servers(2));
        try (Cluster host = Cluster.onThisHost(24, TransportKind.IPC);
                Arena copies = Arena.ofShared()) {
            Turn turn = new Turn(job, way, clocks, 0, 1, () -> 0, truth, copies);
            host.runWithCallerTask(
                    settings,
                    "",
                    _ -> {},
                    _ -> {},
                    turn::train,
                    (tasks, _) -> tasks.rendezvous().await());
        }
        assertEquals(clocks + 1, truth.distances().length);
        assertEquals(0, truth.distances()[0], 0);
        return truth;
    }

    private static void requireBounded(TrueParameters truth) {
        double[] distances = truth.distances();
        double[] bounds = truth.bounds();
        for (int clock = 1; clock < bounds.length; clock++) {
            assertTrue(
                    distances[clock] > 0 && distances[clock] <= bounds[clock],
                    "after clock " + clock + ": distances " + Arrays.toString(distances) + ", bounds "
                            + Arrays.toString(bounds));
        }
    }

    @ParameterizedTest
    @CsvSource({"filter=dvf:0.1", "filter=dvf:0.1 consistency=ssp:3"})
    void distancesAreWithinTheirBounds(String terms) throws IOException, InterruptedException {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        requireBounded(run(wander(seed), terms, CLOCKS));
    }

    /** Two workers, staleness 1, steps of 1 / clock, thresholds 0.5, 0.25 and 0.125; computed by hand. */
    @Test
    void distancesAndBoundsAreThoseOfTheLemmas() {
        TrueParameters truth = new TrueParameters(2, 1, clock -> 1.0 / clock);
        truth.onThreshold(0.5);
        truth.onReplica(0, MemorySegment.ofArray(new float[] {1, 2}));
        truth.onUpdate(1, new float[] {3, 4}); // of length 5
        truth.onUpdate(2, new float[] {0, 1}); // of a worker that is ahead; relative to its step 2
        truth.onThreshold(0.25);
        truth.onReplica(1, MemorySegment.ofArray(new float[] {4, 5}));
        truth.onUpdate(1, new float[] {0, 0}); // now clock 1 has (4, 6)
        truth.onThreshold(0.125);
        truth.onReplica(2, MemorySegment.ofArray(new float[] {4, 7}));
        truth.onUpdate(2, new float[] {3, 0}); // of length 3, relative to its step 6; clock 2 has (7, 7)
        assertArrayEquals(new double[] {0, 1, 3}, truth.distances(), 1e-9);
        double root = Math.sqrt(2);
        assertArrayEquals(
                new double[] {3 * 0.5 * root, 3 * 0.25 * root + 2 * 5, 3 * 0.25 * root + 2 * 0.5 * 6},
                truth.bounds(),
                1e-9);
        assertThrows(IllegalStateException.class, () -> truth.onUpdate(2, new float[] {1, 1}));
    }

    @Tag("slow")
    @Test
    void exactUpdatesLeaveNoDistance() throws IOException, InterruptedException {
        double[] distances = run(wander(1), "filter=none", CLOCKS).distances();
        assertEquals(0, Arrays.stream(distances).max().orElseThrow(), 1e-4);
    }

    /** The threads of the nodes inherit the class path of this one. */
    @Test
    void aFilterThatLosesWhatItHoldsBackExceedsTheBound(@TempDir Path classPath)
            throws IOException, InterruptedException {
        Path services = Files.createDirectories(classPath.resolve("META-INF/services"));
        Files.writeString(services.resolve(FilterPolicyProvider.class.getName()), Forgetful.class.getName());
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader own =
                new URLClassLoader(new URL[] {classPath.toUri().toURL()}, before)) {
            thread.setContextClassLoader(own);
            TrueParameters truth = run(wander(1), "filter=forgetful:0.1", CLOCKS);
            assertTrue(
                    truth.distances()[CLOCKS] > truth.bounds()[CLOCKS],
                    truth.distances()[CLOCKS] + " of " + truth.bounds()[CLOCKS]);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** Increments of rows, and updates of a trainer that reads the parameters while it computes. */
    @Test
    @Tag("slow")
    void soAreThoseOfRatings() throws IOException, InterruptedException {
        requireBounded(run(RatingJob.of(null, 4, 0.005, 1), "filter=dvf:0.01", 8));
        requireBounded(run(RatingJob.of(null, 4, 0.005, 1), "filter=dvf:0.01 consistency=ssp:2", 8));
    }

    /** Updates of a trainer whose steps become smaller. */
    @Test
    @Tag("slow")
    void soAreThoseOfMails() throws IOException, InterruptedException {
        requireBounded(run(MailJob.of(32, 400, 1), "filter=dvf:0.1 consistency=ssp:2", 8));
    }

    /** Loses what it does not send. */
    public static final class Forgetful implements FilterPolicyProvider {
        @Override
        public String configName() {
            return "forgetful";
        }

        @Override
        public String form() {
            return "forgetful:D";
        }

        @Override
        public FilterPolicy create(PolicySpec spec) {
            double first = spec.requireArguments(1).allowOptions().threshold(0);
            return new FilterPolicy() {
                @Override
                public String spec() {
                    return spec.text();
                }

                @Override
                public UpdateFilter create(FilterSite site) {
                    return new Losing(site.newFilter("forgetful", clock -> first / Math.sqrt(clock)));
                }
            };
        }
    }

    private record Losing(UpdateFilter inner) implements UpdateFilter {
        @Override
        public void filter(
                MemorySegment update,
                long updateOffset,
                MemorySegment residual,
                long residualOffset,
                int elements,
                long clock,
                Block out) {
            inner.filter(update, updateOffset, residual, residualOffset, elements, clock, out);
            lose(residual, residualOffset, elements);
        }

        @Override
        public void filter(
                float[] update,
                int updateIndex,
                MemorySegment residual,
                long residualOffset,
                int elements,
                long clock,
                Block out) {
            inner.filter(update, updateIndex, residual, residualOffset, elements, clock, out);
            lose(residual, residualOffset, elements);
        }

        @Override
        public void encodeResidual(MemorySegment residual, long residualOffset, int elements, long clock, Block out) {
            inner.encodeResidual(residual, residualOffset, elements, clock, out);
            lose(residual, residualOffset, elements);
        }

        private static void lose(MemorySegment residual, long offset, int elements) {
            residual.asSlice(offset, (long) elements * Float.BYTES).fill((byte) 0);
        }

        @Override
        public String name() {
            return inner.name();
        }

        @Override
        public float threshold(long clock) {
            return inner.threshold(clock);
        }
    }
}
