package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.codecs.Property;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.Protocol;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Trainer threads that share the tables of a worker. */
@Timeout(240)
class RowClientTest {
    private static final int ROWS = 37;
    private static final int COLUMNS = 16;
    private static final int CLOCKS = 12;

    private static TestDriver driver;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    /** What one part of the work adds to a row in a clock: a whole number, often none. */
    private static int step(long seed, int part, long clock, int row) {
        long mixed = (seed * 31 + part) * 1_000_003 + clock * 7_919 + row;
        mixed ^= mixed >>> 17;
        mixed *= 0xed5ad4bb2545f491L;
        return Math.floorMod(mixed >>> 32, 4) == 0 ? Math.floorMod(mixed >>> 8, 5) - 2 : 0;
    }

    /** The value of a row after a clock, from all parts. */
    private static int sum(long seed, int parts, long clock, int row) {
        int sum = 0;
        for (long each = 1; each <= clock; each++) {
            for (int part = 0; part < parts; part++) {
                sum += step(seed, part, each, row);
            }
        }
        return sum;
    }

    /** Does the work of one part; under BSP each read must be exact. */
    private static void work(
            RowTable table, RowClient.TrainerThread thread, long seed, int part, int parts, boolean exact) {
        float[] row = new float[COLUMNS];
        float[] deltas = new float[COLUMNS];
        int[] columns = new int[COLUMNS];
        for (int column = 0; column < COLUMNS; column++) {
            columns[column] = column;
        }
        while (thread.completed() < CLOCKS) {
            long clock = thread.completed() + 1;
            for (int each = 0; each < ROWS; each++) {
                table.getRow(thread, each, row);
                for (float value : row) {
                    assertEquals(row[0], value, "a row that is not torn");
                }
                if (exact) {
                    assertEquals(sum(seed, parts, clock - 1, each), row[0], "row " + each + " at clock " + clock);
                }
                int step = step(seed, part, clock, each);
                Arrays.fill(deltas, step);
                if (step > 0) {
                    table.incRow(each, deltas);
                } else if (step < 0) {
                    table.incRow(each, columns, deltas, COLUMNS);
                }
            }
            thread.clock();
        }
    }

    private static ClusterSettingsBuilder terms(String consistency) {
        return TestCluster.terms().workers(2).consistency(consistency).sliceElements(COLUMNS * 4);
    }

    private static void requireSums(ClusterSettings settings, int threads, long seed) {
        int parts = settings.workers() * threads;
        Map<Integer, float[]> replicas = new ConcurrentHashMap<>();
        TestCluster.run(driver, settings, worker -> {
            RowClient client = new RowClient(worker, threads);
            RowTable table = client.table("w", ROWS, COLUMNS, false);
            worker.start(Initialiser.ZEROS);
            client.run(thread -> work(
                    table,
                    thread,
                    seed,
                    worker.index() * threads + thread.index(),
                    parts,
                    settings.consistency().equals("bsp") && !settings.isManaged()));
            assertEquals(CLOCKS, worker.completed());
            worker.drain();
            float[] all = new float[ROWS * COLUMNS];
            table.view().copyTo(0, all);
            replicas.put(worker.index(), all);
        });
        for (float[] replica : replicas.values()) {
            for (int i = 0; i < replica.length; i++) {
                assertEquals(sum(seed, parts, CLOCKS, i / COLUMNS), replica[i], "row " + i / COLUMNS);
            }
        }
        assertEquals(settings.workers(), replicas.size());
    }

    /** The sums are those of one thread that does all. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void eachReadUnderBspHasTheWritesOfAllThreadsBefore(int threads) {
        Property.holds(1, random -> requireSums(terms("bsp").build(), threads, random.nextInt()));
    }

    @Tag("slow")
    @Drawn
    @ParameterizedTest
    @ValueSource(strings = {"ssp:1", "ssp:3", "tap"})
    void noIncrementIsLostUnderOtherRules(String consistency) {
        Property.holds(1, random -> requireSums(terms(consistency).build(), 3, random.nextInt()));
    }

    @Test
    void noIncrementIsLostUnderManagedCommunication() {
        ClusterSettings settings = TestCluster.terms(Protocol.MANAGED)
                .workers(2)
                .sliceElements(COLUMNS * 4)
                .build();
        Property.holds(1, random -> requireSums(settings, 3, random.nextInt()));
    }

    /** Each thread has a row of its own, in which no read may miss an increment of the process. */
    @ParameterizedTest
    @ValueSource(strings = {"bsp", "ssp:1"})
    void aThreadReadsItsOwnWritesAtOnce(String consistency) {
        ClusterSettings settings = terms(consistency).workers(1).build();
        TestCluster.run(driver, settings, worker -> {
            RowClient client = new RowClient(worker, 3);
            RowTable table = client.table("w", ROWS, COLUMNS, true);
            worker.start(Initialiser.ZEROS);
            client.run(thread -> {
                float[] row = new float[COLUMNS];
                float[] ones = new float[COLUMNS];
                Arrays.fill(ones, 1);
                for (int step = 1; step <= 30 * CLOCKS; step++) {
                    table.incRow(thread.index(), ones);
                    table.getRow(thread, thread.index(), row);
                    boolean exact = consistency.equals("bsp");
                    assertTrue(exact ? row[0] == step : row[0] >= step, row[0] + " after " + step);
                    for (float value : row) {
                        assertEquals(row[0], value);
                    }
                    if (step % 30 == 0) {
                        thread.clock();
                    }
                }
            });
            worker.drain();
            assertEquals(30 * CLOCKS, table.view().get(0));
        });
    }

    @Test
    void aThreadThatEndsEarlyHoldsNoOtherBack() {
        TestCluster.run(driver, terms("bsp").workers(1).build(), worker -> {
            RowClient client = new RowClient(worker, 3);
            RowTable table = client.table("w", ROWS, COLUMNS, false);
            worker.start(Initialiser.ZEROS);
            client.run(thread -> {
                float[] row = new float[COLUMNS];
                for (int clock = 0; clock < 3 * (1 + thread.index()); clock++) {
                    table.getRow(thread, 0, row);
                    table.incRow(0, new int[] {0}, new float[] {1}, 1);
                    thread.clock();
                }
            });
            assertEquals(9, worker.completed());
            worker.drain();
            assertEquals(3 + 6 + 9, table.view().get(0));
            client.run(thread -> assertEquals(9, thread.completed()));
        });
    }

    /** Each increment is finite, so only the worker that adds up those of its threads detects the infinite sum. */
    @Test
    void incrementsThatAddUpToInfinityEndTheJobWithTheirPlace() {
        try (TestCluster cluster = TestCluster.start(driver, terms("bsp").build())) {
            cluster.train(worker -> {
                RowClient client = new RowClient(worker, 2);
                RowTable table = client.table("w", ROWS, COLUMNS, false);
                worker.start(Initialiser.ZEROS);
                client.run(thread -> {
                    if (worker.index() == 0) {
                        table.incRow(3, new int[] {5}, new float[] {Float.MAX_VALUE}, 1);
                    }
                    table.getRow(thread, 3, new float[COLUMNS]);
                    thread.clock();
                    table.getRow(thread, 3, new float[COLUMNS]);
                    thread.clock();
                });
            });
            for (String node : List.of("worker 0", "worker 1", "server 0")) {
                ClusterException end = cluster.awaitFailure(node);
                assertEquals(Failure.NOT_FINITE, end.failure(), end::getMessage);
                assertTrue(end.getMessage().contains("row 3, column 5 of table w"), end::getMessage);
            }
        }
    }

    @Tag("slow")
    @Test
    void aThreadThatDoesNotEndItsClockEndsTheJob() {
        CountDownLatch never = new CountDownLatch(1);
        try (TestCluster cluster =
                TestCluster.start(driver, terms("bsp").workers(1).build())) {
            cluster.adjustWorkers(context -> context.progressNs(TimeUnit.SECONDS.toNanos(2)));
            cluster.train(worker -> {
                RowClient client = new RowClient(worker, 2);
                client.table("w", ROWS, COLUMNS, false);
                worker.start(Initialiser.ZEROS);
                client.run(thread -> {
                    thread.clock();
                    if (thread.index() == 1) {
                        never.await();
                    }
                    thread.clock();
                });
            });
            String said = cluster.awaitFailure("worker 0").getMessage();
            assertTrue(said.contains("trainer thread 1 has not ended clock 2 within 2 s"), said);
        }
    }

    @Test
    void whatAThreadThrowsEndsTheOthersAndReachesTheOwner() {
        IllegalStateException mistake = new IllegalStateException("no more data");
        AtomicReference<Throwable> other = new AtomicReference<>();
        CountDownLatch seen = new CountDownLatch(1);
        TestCluster.run(driver, terms("bsp").workers(1).build(), worker -> {
            RowClient client = new RowClient(worker, 2);
            RowTable table = client.table("w", ROWS, COLUMNS, false);
            worker.start(Initialiser.ZEROS);
            assertSame(
                    mistake,
                    assertThrows(
                            IllegalStateException.class,
                            () -> client.run(thread -> {
                                if (thread.index() == 0) {
                                    throw mistake;
                                }
                                try {
                                    while (true) {
                                        table.getRow(thread, 0, new float[COLUMNS]);
                                        thread.clock();
                                    }
                                } catch (CancellationException e) {
                                    other.set(e);
                                    seen.countDown();
                                    throw e;
                                }
                            })));
            seen.await();
            assertSame(mistake, other.get().getCause());
            worker.leave();
        });
    }

    @Test
    void aCheckedExceptionIsTheCause() {
        TestCluster.run(driver, terms("bsp").workers(1).build(), worker -> {
            RowClient client = new RowClient(worker, 1);
            client.table("w", ROWS, COLUMNS, false);
            assertThrows(IllegalStateException.class, () -> client.run(thread -> {}));
            worker.start(Initialiser.ZEROS);
            Exception mistake = new Exception("no more data");
            assertSame(
                    mistake,
                    assertThrows(
                                    CompletionException.class,
                                    () -> client.run(thread -> {
                                        throw mistake;
                                    }))
                            .getCause());
            worker.leave();
        });
    }

    @Test
    void badCallsAreNamedAndHaveNoEffect() {
        TestCluster.run(driver, terms("bsp").workers(1).build(), worker -> {
            assertThrows(IllegalArgumentException.class, () -> new RowClient(worker, 0));
            RowClient client = new RowClient(worker, 1);
            RowTable table = client.table("w", 3, 4, true);
            worker.start(Initialiser.ZEROS);
            client.run(thread -> {
                float[] row = new float[4];
                String message = assertThrows(IndexOutOfBoundsException.class, () -> table.getRow(thread, 3, row))
                        .getMessage();
                assertEquals("table w has no row 3, expected 0 to 2", message);
                assertThrows(IllegalArgumentException.class, () -> table.getRow(thread, 0, new float[3]));
                assertThrows(IllegalArgumentException.class, () -> table.incRow(0, new float[5]));
                assertThrows(IllegalArgumentException.class, () -> table.incRow(0, new float[] {1, 1, Float.NaN, 1}));
                assertThrows(
                        IndexOutOfBoundsException.class,
                        () -> table.incRow(0, new int[] {0, 4}, new float[] {1, 1}, 2));
                table.getRow(thread, 0, row);
                assertEquals(0, row[0]);
            });
            worker.drain();
        });
    }

    @Test
    void termsThatDoNotFitAreRefused() {
        TestCluster.run(driver, TestCluster.terms(Protocol.MANAGED).workers(1).build(), worker -> {
            RowClient client = new RowClient(worker, 2);
            assertThrows(IllegalArgumentException.class, () -> client.table("w", 3, 4, true));
            client.table("w", 3, 4, false);
            worker.table("other", 1, 1);
            worker.start(Initialiser.ZEROS);
            assertThrows(IllegalStateException.class, () -> client.run(thread -> {}));
            worker.leave();
        });
        TestCluster.run(driver, TestCluster.terms(Protocol.PUSH_PULL).workers(1).build(), worker -> {
            assertThrows(IllegalArgumentException.class, () -> new RowClient(worker, 2));
            worker.leave();
        });
    }

    /** Own increments that no read would see, bases that threads may not have read, and elastic jobs are refused. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "drift:0.1,4 | none | sum | true | false",
                "bsp | dvf:0.1 | sum | true | false",
                "ssp:1 | none | adarevision:0.1 | false | false",
                "bsp | none | sum | false | true"
            })
    void termsUnderWhichReadsWouldBeWrongAreRefused(
            String consistency, String filter, String rule, boolean readsOwn, boolean elastic) {
        ClusterSettings settings = TestCluster.terms()
                .workers(1)
                .places(elastic ? 2 : 0)
                .consistency(consistency)
                .filter(filter)
                .rule(rule)
                .build();
        TestCluster.run(driver, settings, worker -> {
            assertThrows(IllegalArgumentException.class, () -> new RowClient(worker, 2).table("w", 3, 4, readsOwn));
            worker.table("w", 1, 1);
            worker.start(Initialiser.ZEROS);
            worker.drain();
        });
    }

    /** A thread that has the version which its clock needs reads all increments of that version. */
    @Drawn
    @ParameterizedTest
    @ValueSource(strings = {"bsp", "ssp:1", "ssp:2", "dssp:0,3"})
    void readsHaveAllOfTheVersionThatTheyWaitFor(String consistency) {
        int staleness = consistency.equals("bsp") ? 0 : consistency.charAt(consistency.length() - 1) - '0';
        int threads = 2;
        TestCluster.run(driver, terms(consistency).build(), worker -> {
            RowClient client = new RowClient(worker, threads);
            RowTable table = client.table("w", ROWS, COLUMNS, false);
            worker.start(Initialiser.ZEROS);
            client.run(thread -> {
                float[] row = new float[COLUMNS];
                float[] ones = new float[COLUMNS];
                Arrays.fill(ones, 1);
                while (thread.completed() < 60) {
                    long complete = Math.max(0, thread.completed() - staleness);
                    for (int each = 0; each < ROWS; each++) {
                        table.getRow(thread, each, row);
                        float read = row[0];
                        assertTrue(read >= complete * threads * 2, () -> read + " at clock " + thread.completed());
                    }
                    for (int each = 0; each < ROWS; each++) {
                        table.incRow(each, ones);
                    }
                    thread.clock();
                }
            });
            worker.drain();
            assertEquals(60 * threads * 2, table.view().get(0));
        });
    }
}
