package io.sluice.consistency.worker;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.codecs.Property;
import io.sluice.codecs.spi.PolicySpec;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.clock.ConsistencyRules;
import io.sluice.consistency.spi.ConsistencyRule;
import io.sluice.consistency.spi.ConsistencyRuleProvider;
import io.sluice.consistency.spi.FactorSelection;
import io.sluice.consistency.spi.FactorSelectionProvider;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.ThreadingMode;
import io.sluice.consistency.terms.TransportKind;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every replica of a factor table has, at each version, the bits of a plain loop over the vectors of all workers in the
 * order of clocks, workers and groups.
 */
@Timeout(240)
class FactorRunTest {
    private static final int CLOCKS = 12;

    private static TestDriver driver;

    @TempDir
    private Path folder;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    /** Vectors that depend on the seed, the worker and the clock. */
    record Vectors(long seed, int rows, int columns, int groups, boolean sparse) {
        static Vectors of(SplittableRandom random, int mostColumns) {
            return new Vectors(
                    random.nextLong(),
                    1 + random.nextInt(20),
                    1 + random.nextInt(mostColumns),
                    1 + random.nextInt(5),
                    random.nextBoolean());
        }

        private SplittableRandom random(int worker, long clock) {
            return new SplittableRandom(seed + worker * 1_000_003L + clock * 7_919L);
        }

        private int added(SplittableRandom random) {
            return random.nextInt(groups + 1);
        }

        private float[] u(SplittableRandom random) {
            float[] u = new float[rows];
            for (int i = 0; i < rows; i++) {
                u[i] = (float) random.nextGaussian();
            }
            return u;
        }

        private int[] indices(SplittableRandom random) {
            return random.ints(1 + columns / 20, 0, columns).distinct().sorted().toArray();
        }

        private float[] values(SplittableRandom random, int count) {
            float[] values = new float[count];
            for (int i = 0; i < count; i++) {
                values[i] = (float) random.nextGaussian();
            }
            return values;
        }

        void initial(String table, long start, float[] values) {
            for (int i = 0; i < values.length; i++) {
                values[i] = (float) Math.sin(seed + start + i + 1);
            }
        }

        FactorTable declare(Worker worker) {
            return declare(worker, "w");
        }

        FactorTable declare(Worker worker, String name) {
            return worker.factors(name, rows, columns, groups, "all");
        }

        void push(FactorTable table, int worker, long clock) {
            SplittableRandom random = random(worker, clock);
            int added = added(random);
            for (int group = 0; group < added; group++) {
                float[] u = u(random);
                if (sparse) {
                    int[] indices = indices(random);
                    table.add(u, indices, values(random, indices.length));
                } else {
                    table.add(u, values(random, columns));
                }
            }
        }

        /** The matrix of a version. */
        float[] expected(int workers, long version) {
            return expected(workers, version, _ -> version);
        }

        /** The matrix of a version to which each worker has pushed up to a last clock of its own. */
        float[] expected(int workers, long version, IntToLongFunction last) {
            float[] matrix = new float[rows * columns];
            initial("w", 0, matrix);
            for (long clock = 1; clock <= version; clock++) {
                for (int worker = 0; worker < workers; worker++) {
                    SplittableRandom random = random(worker, clock);
                    int added = clock > last.applyAsLong(worker) ? 0 : added(random);
                    for (int group = 0; group < added; group++) {
                        float[] u = u(random);
                        int[] indices = sparse ? indices(random) : null;
                        float[] v = values(random, sparse ? indices.length : columns);
                        for (int row = 0; row < rows; row++) {
                            for (int i = 0; i < v.length; i++) {
                                matrix[row * columns + (sparse ? indices[i] : i)] += u[row] * v[i];
                            }
                        }
                    }
                }
            }
            return matrix;
        }
    }

    static float[] copy(FactorTable table) {
        return table.view().segment().toArray(JAVA_FLOAT);
    }

    @Tag("slow")
    @Drawn
    @ParameterizedTest
    @CsvSource({
        "update, bsp,   none,    ipc, flat",
        "update, bsp,   dvf:1,   udp, chain",
        "update, ssp:1, none,    udp, flat",
        "update, ssp:3, dvf:0.5, ipc, chain",
        "update, dssp:0~2, none, ipc, flat",
        "peer,   bsp,   none,    ipc, flat",
        "peer,   bsp,   dvf:1,   udp, chain",
        "peer,   ssp:1, none,    udp, flat",
        "peer,   ssp:3, dvf:0.5, ipc, chain",
        "peer,   dssp:0~2, none, ipc, flat",
    })
    void replicasHaveTheBitsOfAPlainLoop(
            String protocol, String consistency, String filter, String medium, String tree) {
        Property.holds(1, random -> {
            ClusterSettings settings = TestCluster.terms("peer".equals(protocol) ? Protocol.PEER : Protocol.UPDATE)
                    .consistency(consistency.replace('~', ','))
                    .filter(filter)
                    .values("none".equals(filter) ? "f32" : "bf16")
                    .transport("ipc".equals(medium) ? TransportKind.IPC : TransportKind.UDP)
                    .tree(tree)
                    .sliceElements(random.nextInt(1, 200))
                    .build();
            Vectors vectors = Vectors.of(random, 400);
            Vectors others = Vectors.of(random, 40);
            long pause = random.nextLong();
            TestCluster.run(driver, settings, worker -> {
                FactorTable table = vectors.declare(worker);
                Table bias = worker.table("bias", 1, 3);
                FactorTable second = others.declare(worker, "second");
                worker.start((name, start, values) ->
                        ("second".equals(name) ? others : vectors).initial(name, start, values));
                SplittableRandom pauses = new SplittableRandom(pause + worker.index());
                for (long clock = 1; clock <= CLOCKS; clock++) {
                    table.sync();
                    assertTrue(table.version() >= worker.required().get());
                    assertArrayEquals(
                            vectors.expected(worker.workers(), table.version()),
                            copy(table),
                            "version " + table.version());
                    vectors.push(table, worker.index(), clock);
                    others.push(second, worker.index(), clock); // read at the end alone
                    bias.inc(0, 1, 1);
                    LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(pauses.nextInt(3_000)));
                    worker.clock();
                }
                worker.drain();
                assertEquals(CLOCKS, table.version());
                assertArrayEquals(vectors.expected(worker.workers(), CLOCKS), copy(table));
                assertArrayEquals(others.expected(worker.workers(), CLOCKS), copy(second));
            });
        });
    }

    /** A rule of the user's states its bound by the versions that it demands. */
    @Test
    void theRingHasRoomForTheStalenessOfAnyRule() {
        for (int staleness = 0; staleness < 5; staleness++) {
            ConsistencyRule rule = ConsistencyRules.named("ssp:" + staleness);
            assertEquals(staleness, FactorTables.staleness(rule));
            assertEquals(0, FactorTables.staleness(ConsistencyRules.named("bsp")));
            assertEquals(250 + staleness, FactorTables.staleness(ConsistencyRules.named("ssp:" + (250 + staleness))));
            VectorBlocks blocks = VectorBlocks.of(3, 7, 4, staleness, 10);
            assertEquals(2 * staleness + 1, blocks.ring());
            Set<Integer> slices = new HashSet<>();
            for (int worker = 0; worker < 4; worker++) {
                for (long clock = 100; clock < 101 + 2 * staleness; clock++) {
                    for (int slice = 0; slice < blocks.slices(); slice++) {
                        assertTrue(slices.add(blocks.firstSlice(worker, clock) + slice), "blocks are disjoint");
                    }
                }
            }
            assertEquals(blocks.spec(0, "w/u").slices(), slices.size(), "and fill the table");
            assertTrue(blocks.slices() * blocks.sliceElements() >= 21 && blocks.sliceElements() <= 10);
        }
    }

    @Test
    void workersThatStartWithOtherValuesAreRefused() {
        ClusterSettings settings = TestCluster.terms().build();
        try (TestCluster cluster = TestCluster.start(driver, settings)) {
            cluster.train(worker -> {
                FactorTable table = worker.factors("w", 3, 4, 1, "all");
                worker.start((name, start, values) -> values[0] = worker.index());
                table.sync();
            });
            ClusterException failure = cluster.awaitAnyFailure();
            assertTrue(
                    failure.getMessage().contains("declares the factor table of w/u unlike another worker"),
                    failure + "");
        }
    }

    @Test
    void workersThatDeclareAnotherShapeAreRefused() {
        ClusterSettings settings = TestCluster.terms().build();
        try (TestCluster cluster = TestCluster.start(driver, settings)) {
            cluster.train(worker -> {
                int other = worker.index() == 0 ? 3 : 4; // the carriers have the same shape
                FactorTable table = worker.factors("w", other, 7 - other, 1, "all");
                worker.start(Initialiser.ZEROS);
                table.sync();
            });
            ClusterException failure = cluster.awaitAnyFailure();
            assertTrue(failure.getMessage().contains("declares"), failure + "");
        }
    }

    @Tag("slow")
    @Test
    void refusesTermsUnderWhichVectorsCannotBeExchanged() {
        refused(TestCluster.terms(Protocol.PUSH_PULL).build(), "with the protocol push-pull, expected update or peer");
        refused(TestCluster.terms().consistency("tap").build(), "with the consistency tap, expected one with a bound");
        refused(TestCluster.terms().consistency("backup:1").build(), "with the consistency backup:1, expected");
        refused(TestCluster.terms().consistency("drift:1,3").build(), "with the consistency drift:1.0,3, expected");
        refused(
                TestCluster.terms().order("relative").build(),
                "with the order relative, expected one without relative");
        refused(TestCluster.terms().filter("w", "dvf:1").build(), "with terms of its own, expected the filters none");
        refused(TestCluster.terms().places(4).build(), "with workers that join and leave, expected a fixed number");
    }

    @Test
    void refusesMoreSlicesThanAllTablesMayHave() {
        TestCluster.run(driver, TestCluster.terms().sliceElements(1).workers(5).build(), worker -> {
            worker.table("bias", 1, 3);
            String most = ", and the tables before it 3, expected up to 2147483647 together: enlarge the slices";
            refused(() -> worker.factors("w", 1_000, 1_000, 500_000, "all"), "table w has 5000000000 slices" + most);
            refused(() -> worker.factors("w", 1_000, 1_000, 214_749, "all"), "table w has 2147490000 slices" + most);
            refused(() -> worker.table("w", Integer.MAX_VALUE, 1), "table w has 2147483647 slices" + most);
            worker.leave();
        });
    }

    /** Follows BSP for 110 clocks, and allows two clocks of staleness from then on. */
    public static final class Late implements ConsistencyRule {
        private static final int STRICT = 110;
        private final ConsistencyRule stale = ConsistencyRules.named("ssp:2");

        /** Names the rule. */
        public static final class Provider implements ConsistencyRuleProvider {
            @Override
            public String configName() {
                return "late";
            }

            @Override
            public String form() {
                return "late";
            }

            @Override
            public ConsistencyRule create(PolicySpec spec) {
                return new Late();
            }
        }

        @Override
        public String name() {
            return "late";
        }

        @Override
        public long requiredVersion(long clock) {
            return clock < STRICT ? clock : stale.requiredVersion(clock);
        }

        @Override
        public boolean mayFinalise(long round, Clocks clocks, int slice) {
            return stale.mayFinalise(round, clocks, slice);
        }

        @Override
        public long latestRound(long version) {
            return stale.latestRound(version);
        }
    }

    /** Vectors of two clocks would meet in a block. */
    @Test
    void aRuleThatAllowsMoreStalenessLaterEndsTheJob() {
        CountDownLatch failed = new CountDownLatch(1);
        try (TestCluster cluster = TestCluster.start(
                driver, TestCluster.terms().consistency("late").workers(2).build())) {
            cluster.train(worker -> {
                FactorTable table = worker.factors("w", 1, 1, 1, "all");
                worker.start(Initialiser.ZEROS);
                for (int clock = 0; clock < Late.STRICT; clock++) {
                    table.sync();
                    worker.clock();
                }
                if (1 == worker.index()) {
                    Deadline.await(failed);
                    return;
                }
                IllegalStateException refusal = assertThrows(IllegalStateException.class, () -> {
                    for (int more = 0; more < 3; more++) {
                        table.sync();
                        worker.clock();
                    }
                });
                String reason = " clocks behind, expected at most 0, the maximum in its first clocks";
                assertTrue(refusal.getMessage().startsWith("the consistency late lets clock 11"), refusal::getMessage);
                assertTrue(refusal.getMessage().contains(reason), refusal::getMessage);
                failed.countDown();
            });
            cluster.awaitAnyFailure();
        }
    }

    private static void refused(ClusterSettings settings, String reason) {
        try (TestCluster cluster = TestCluster.start(driver, settings)) {
            cluster.train(worker -> {
                IllegalArgumentException refusal =
                        assertThrows(IllegalArgumentException.class, () -> worker.factors("w", 3, 4, 1, "all"));
                assertTrue(refusal.getMessage().contains("factor table w is declared " + reason), refusal.getMessage());
                worker.leave();
            });
            cluster.awaitEnd("worker 0");
        }
    }

    @Test
    void badArgumentsAddNothing() {
        TestCluster.run(driver, TestCluster.terms().build(), worker -> {
            refused(() -> worker.factors("w", 3, 4, 0, "all"), "is declared with 0 groups in an iteration, expected 1");
            refused(() -> worker.factors("w", 1 << 30, 1, 1, "all"), "1073741824 rows or columns, expected up to");
            refused(() -> worker.factors("w", 0, 4, 1, "all"), "table w is 0 x 4, expected at least 1 x 1");
            refused(() -> worker.factors("w", 3, 4, 1, "most"), "'most'");
            worker.table("t/v", 1, 1);
            refused(() -> worker.factors("t", 3, 4, 1, "all"), "table t/v is declared twice");
            FactorTable table = worker.factors("w", 3, 4, 1, "all");
            refused(() -> worker.table("w", 1, 1), "table w is declared twice");
            refused(() -> worker.table("w/u", 1, 1), "table w/u is declared twice");
            worker.start(Initialiser.ZEROS);
            table.sync();
            float[] u = {1, 2, 3};
            float[] v = {1, 2, 3, 4};
            refused(() -> table.add(v, v), "first vector of group 0 of table w has 4 floats, expected 3");
            refused(() -> table.add(u, u), "second vector of group 0 of table w has 3 floats, expected 4");
            refused(() -> table.add(u, new int[2], u), "list of values of group 0 of table w has 3 floats, expected 2");
            assertThrows(IndexOutOfBoundsException.class, () -> table.add(u, new int[] {1, 4}, new float[] {1, 1}));
            ClusterException infinite = assertThrows(
                    ClusterException.class, () -> table.add(u, new float[] {0, Float.POSITIVE_INFINITY, 0, 0}));
            assertEquals(Failure.NOT_FINITE, infinite.failure());
            assertTrue(infinite.getMessage().contains("has Infinity at index 1"), infinite.getMessage());
            ClusterException twice = assertThrows(
                    ClusterException.class,
                    () -> table.add(u, new int[] {2, 0, 2}, new float[] {Float.MAX_VALUE, 1, Float.MAX_VALUE}));
            assertTrue(twice.getMessage().contains("the sum Infinity at column 2"), twice.getMessage());
            if (0 == worker.index()) {
                table.add(u, v);
                IllegalStateException full = assertThrows(IllegalStateException.class, () -> table.add(u, v));
                assertTrue(full.getMessage().contains("expected at most 1 as declared"), full.getMessage());
            }
            worker.clock();
            worker.drain();
            assertArrayEquals(new float[] {1, 2, 3, 4, 2, 4, 6, 8, 3, 6, 9, 12}, copy(table));
        });
    }

    private static void refused(Runnable call, String reason) {
        IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, call::run);
        assertTrue(refusal.getMessage().contains(reason), refusal.getMessage());
    }

    @Test
    void anOverflowNamesTheWorkerAndTheElement() {
        try (TestCluster cluster = TestCluster.start(driver, TestCluster.terms().build())) {
            cluster.train(worker -> {
                FactorTable table = worker.factors("w", 2, 3, 1, "all");
                worker.start(Initialiser.ZEROS);
                table.sync();
                if (1 == worker.index()) {
                    table.add(new float[] {0, Float.MAX_VALUE}, new float[] {0, 0, 2});
                }
                worker.clock();
                worker.drain();
            });
            ClusterException failure = cluster.awaitAnyFailure();
            String expected = "worker 1 pushed for table w in clock 1 make Infinity of row 1, column 2";
            assertTrue(failure.getMessage().contains(expected), failure.getMessage());
        }
    }

    /** A selection as a user would write it, with a mistake: worker 0 divides by 0 in clock 3. */
    public static final class Faulty implements FactorSelectionProvider {
        @Override
        public String configName() {
            return "faulty";
        }

        @Override
        public String form() {
            return "faulty";
        }

        @Override
        public FactorSelection.Policy create(PolicySpec spec) {
            return new FactorSelection.Policy() {
                @Override
                public int sent(int groups) {
                    return groups;
                }

                @Override
                public FactorSelection create(FactorSelection.Site site) {
                    return (u, v, count, clock) -> count / (int) (3 + site.worker() - clock);
                }
            };
        }
    }

    @Test
    void aFaultOfASelectionIsTheCause() {
        try (TestCluster cluster = TestCluster.start(driver, TestCluster.terms().build())) {
            cluster.train(worker -> {
                FactorTable table = worker.factors("w", 2, 3, 1, "faulty");
                worker.start(Initialiser.ZEROS);
                for (int clock = 1; clock <= 3; clock++) {
                    table.sync();
                    worker.clock();
                }
                worker.drain();
            });
            ClusterException failure = cluster.awaitFailure("worker 0");
            assertEquals(Failure.NOT_FINITE, failure.failure());
            assertTrue(
                    failure.getMessage().contains("the selection faulty of table w fails in clock 3: / by zero"),
                    failure.getMessage());
            ArithmeticException cause = assertInstanceOf(ArithmeticException.class, failure.getCause());
            assertTrue(cause.getStackTrace()[0].getClassName().startsWith(Faulty.class.getName()), "names the fault");
        }
    }

    /** A job that is aborted and restored ends with the bits of an undisturbed one. */
    @Test
    @Tag("slow")
    void restoredJobsHaveTheSameBits() {
        Property.holds(1, random -> {
            ClusterSettings settings = TestCluster.terms()
                    .transport(random.nextBoolean() ? TransportKind.IPC : TransportKind.UDP)
                    .build();
            Vectors vectors = Vectors.of(random, 60);
            Path here = folder.resolve("seed " + random.nextLong());
            Map<Integer, float[]> last = new ConcurrentHashMap<>();
            long begun = 0;
            for (int run = 0; run < 3; run++) {
                long end = run < 2 ? 40 + 50 * run : SavedTraining.CLOCKS;
                try (TestCluster cluster = SavedTraining.cluster(driver, settings, here, run > 0)) {
                    cluster.adjustWorkers(worker -> worker.sending(ThreadingMode.INVOKER));
                    cluster.train(worker -> train(worker, vectors, end, last));
                    if (end < SavedTraining.CLOCKS) {
                        cluster.awaitEnd("worker 1");
                    } else {
                        cluster.awaitSuccess();
                        begun = last.remove(-1) == null ? 0 : 1;
                    }
                }
            }
            assertEquals(1, begun, "the last run began with a snapshot");
            float[] expected = vectors.expected(settings.workers(), SavedTraining.CLOCKS);
            last.forEach((worker, matrix) -> assertArrayEquals(expected, matrix, "worker " + worker));
            assertEquals(settings.workers(), last.size());
        });
    }

    private static void train(Worker worker, Vectors vectors, long end, Map<Integer, float[]> last) {
        FactorTable table = vectors.declare(worker);
        worker.start(vectors::initial);
        if (worker.completed() > 0) {
            last.put(-1, new float[0]);
        }
        for (long clock = worker.completed() + 1; clock <= end; clock++) {
            table.sync();
            vectors.push(table, worker.index(), clock);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(4));
            worker.clock();
        }
        if (end < SavedTraining.CLOCKS) {
            throw new IllegalStateException("given up");
        }
        worker.drain();
        last.put(worker.index(), copy(table));
    }
}
