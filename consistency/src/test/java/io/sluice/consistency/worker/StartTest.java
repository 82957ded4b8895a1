package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.sluice.codecs.Property;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.Protocol;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** All replicas start from the bytes of worker 0, whatever the filter would hold back. */
@Timeout(240)
class StartTest {
    private static TestDriver driver;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    @ParameterizedTest
    @EnumSource
    void firstParametersOfWorkerZeroReachAllBitForBit(Protocol protocol) {
        ClusterSettings settings = TestCluster.terms(protocol).filter("dvf:1e6").build();
        Property.holds(1, random -> {
            long seed = random.nextLong();
            CopyOnWriteArrayList<Integer> asked = new CopyOnWriteArrayList<>();
            TestCluster.run(driver, settings, worker -> {
                Table first = worker.table("w", 17, 13);
                Table second = worker.table("b", 1, 1);
                worker.start((name, start, values) -> {
                    asked.addIfAbsent(worker.index());
                    fill(seed + worker.index(), name, start, values);
                });
                for (Table table : new Table[] {first, second}) {
                    assertEquals(0, table.version());
                    float[] expected = new float[(int) table.spec().elements()];
                    float[] row = new float[table.spec().columns()];
                    for (int start = 0; start < expected.length; start += row.length) {
                        fill(seed, table.spec().name(), start, row);
                        System.arraycopy(row, 0, expected, start, row.length);
                    }
                    assertArrayEquals(expected, Updates.copy(table));
                    assertEquals(0, table.residualMaxAbs(), "nothing of the start is kept back");
                }
            });
            assertEquals(1, asked.size(), "others are not asked");
            assertEquals(0, asked.getFirst());
        });
    }

    /** Fills an array with finite numbers of all magnitudes, but no zeros. */
    private static void fill(long seed, String name, long start, float[] values) {
        SplittableRandom random = new SplittableRandom(seed + name.hashCode() + start);
        for (int i = 0; i < values.length; i++) {
            float value = Float.intBitsToFloat(random.nextInt());
            values[i] = Float.isFinite(value) && value != 0 ? value : Float.MIN_VALUE;
        }
    }

    /** A failed start is final, for the cluster too. */
    private static void failsWithItsStart(String sentence, TestCluster.Trainer trainer) {
        ClusterSettings settings = TestCluster.terms().servers(1).workers(1).build();
        try (TestCluster cluster = TestCluster.start(driver, settings)) {
            cluster.train(trainer);
            assertNull(cluster.awaitEnd("worker 0"));
            assertEquals(
                    "worker 0: failed before its first clock: " + sentence,
                    cluster.awaitFailure("server 0").getMessage());
        }
    }

    @Test
    void aStartThatIsNotFiniteIsRefused() {
        String refused = "the initialiser gives table w values that are not finite, at or after element 0";
        failsWithItsStart("java.lang.IllegalArgumentException: " + refused, worker -> {
            worker.table("w", 4, 4);
            IllegalArgumentException refusal = assertThrows(
                    IllegalArgumentException.class, () -> worker.start((name, start, values) -> values[2] = Float.NaN));
            assertEquals(refused, refusal.getMessage());
            requireState("the start of the worker has not succeeded", worker::clock);
        });
    }

    @Test
    void callsAfterAFailedStartAreRefused() {
        failsWithItsStart("java.lang.ArithmeticException", worker -> {
            Table table = worker.table("w", 4, 4);
            assertThrows(NullPointerException.class, () -> worker.start(null));
            requireState("the worker has not been started, expected start() first", worker::clock);
            assertThrows(
                    ArithmeticException.class,
                    () -> worker.start((name, start, values) -> {
                        throw new ArithmeticException();
                    }));
            requireState("the start of the worker has not succeeded", worker::clock);
            requireState("the start of the worker has not succeeded", table::sync);
            requireState("the worker is started twice", () -> worker.start(Initialiser.ZEROS));
        });
    }

    @Test
    void callsOutOfTurnAreRefused() {
        ClusterSettings settings = TestCluster.terms().servers(1).workers(1).build();
        TestCluster.run(driver, settings, worker -> {
            requireState("there is no table to start with", () -> worker.start(Initialiser.ZEROS));
            Table table = worker.table("w", 2, 3);
            assertEquals(-1, table.version());
            requireState("the worker has not been started, expected start() first", table::sync);
            requireState("the worker has not been started, expected start() first", () -> table.update(new float[6]));
            requireState("the worker has not been started, expected start() first", worker::clock);
            assertThrows(IllegalArgumentException.class, () -> worker.table("w", 1, 1), "declared twice");
            worker.start(Initialiser.ZEROS);
            requireState("the worker is started twice", () -> worker.start(Initialiser.ZEROS));
            requireState("table late is declared after the start, expected before", () -> worker.table("late", 1, 1));
            worker.drain();
            worker.close();
            requireState("the worker is closed", table::sync);
            worker.close();
        });
    }

    private static void requireState(String sentence, Runnable call) {
        assertEquals(
                sentence, assertThrows(IllegalStateException.class, call::run).getMessage());
    }

    @Test
    void differentTableDeclarationsAreRefused() {
        ClusterSettings settings = TestCluster.terms().build();
        try (TestCluster cluster = TestCluster.start(driver, settings)) {
            cluster.train(worker -> {
                worker.table("w", 4, 1 == worker.index() ? 5 : 4);
                worker.start(Initialiser.ZEROS);
            });
            for (String node : new String[] {"server 0", "server 1", "worker 0", "worker 1", "worker 2"}) {
                ClusterException failure = cluster.awaitFailure(node);
                assertEquals(Failure.PROTOCOL_BREACH, failure.failure(), node + ": " + failure.getMessage());
                assertTrue(failure.getMessage().contains("declares table 0 as w"), failure.getMessage());
            }
        }
    }

    /** A worker's setting contradicts a term of the cluster: detected when it joins, and reported with both names. */
    @Test
    void anOutboxTooLargeForItsSlicesIsRefused() {
        ClusterSettings settings = TestCluster.terms()
                .servers(1)
                .workers(1)
                .order("layer")
                .sliceElements(65_536)
                .build();
        try (TestCluster cluster = TestCluster.start(driver, settings)) {
            cluster.adjustWorkers(worker -> worker.outboxFrames(16_384));
            cluster.train(worker -> fail("it must not connect"));
            IllegalArgumentException error =
                    assertInstanceOf(IllegalArgumentException.class, cluster.awaitEnd("worker 0"));
            assertTrue(error.getMessage().startsWith("outboxFrames is 16384, expected up to "), error.getMessage());
            assertTrue(error.getMessage().contains("slices of 65536 elements"), error.getMessage());
            ClusterException told = cluster.awaitFailure("server 0");
            assertEquals("worker 0: failed before its first clock: " + error, told.getMessage());
        }
    }
}
