package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.messaging.api.MessagingException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Valid and invalid calls of a table. */
@Timeout(240)
class TableTest {
    private static TestDriver driver;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    /** One worker, one table of 3 x 4, started at zero. */
    private interface Use {
        void of(Worker worker, Table table);
    }

    private static void alone(ClusterSettings settings, Use use) {
        TestCluster.run(driver, settings, worker -> {
            Table table = worker.table("w", 3, 4);
            worker.start(Initialiser.ZEROS);
            use.of(worker, table);
        });
    }

    private static ClusterSettings exact() {
        return exact(Protocol.UPDATE);
    }

    private static ClusterSettings exact(Protocol protocol) {
        return TestCluster.terms(protocol)
                .servers(2)
                .workers(1)
                .sliceElements(5)
                .build();
    }

    /** Kernels know a table's memory by its address alone, so closing a worker must not release it under them. */
    @Test
    void closingAWorkerReleasesNoMemoryThatIsInUse() {
        List<MemorySegment> memory = new ArrayList<>();
        alone(exact(), (_, table) -> {
            memory.add(table.replica());
            memory.add(table.residual());
        });
        memory.forEach(segment -> assertTrue(segment.scope().isAlive(), segment::toString));
    }

    @ParameterizedTest
    @EnumSource
    void incrementsArePushedByTheClock(Protocol protocol) {
        ClusterSettings settings = exact(protocol);
        alone(settings, (worker, table) -> {
            table.inc(1, 2, 0.5f);
            table.inc(1, 2, 0.25f);
            table.incRow(2, new float[] {1, 2, 3, 4});
            assertEquals(0, table.get(1, 2), "nothing changes before the sync");
            assertEquals(4, table.residualMaxAbs());
            assertEquals(0.75f, table.pending().get(6));
            assertEquals(1, worker.clock());
            assertEquals(0, table.pending().get(6));
            table.sync();
            assertEquals(0.75f, table.get(1, 2));
            float[] row = new float[4];
            table.getRow(2, row);
            assertArrayEquals(new float[] {1, 2, 3, 4}, row);
            assertEquals(0, table.residualMaxAbs());
            assertEquals(1, table.version());
        });
    }

    @ParameterizedTest
    @EnumSource
    void incrementsArePushedWithAnUpdate(Protocol protocol) {
        ClusterSettings settings =
                TestCluster.terms(protocol).servers(1).workers(1).build();
        alone(settings, (worker, table) -> {
            float[] update = new float[12];
            update[0] = 8;
            table.inc(0, 0, 1);
            table.inc(2, 3, 2);
            table.update(update);
            worker.clock();
            table.sync();
            assertEquals(9, table.get(0, 0));
            assertEquals(2, table.get(2, 3));
            assertEquals(8, update[0], "the update itself is not changed");
        });
    }

    /** Equals a dense update, added to the residual. */
    @ParameterizedTest
    @EnumSource
    void anUpdateOfFewParameters(Protocol protocol) {
        ClusterSettings settings = exact(protocol);
        alone(settings, (worker, table) -> {
            table.inc(0, 0, 1);
            table.update(new int[] {11, 0, 11}, new float[] {0.5f, 2, 0.25f});
            assertThrows(IllegalStateException.class, () -> table.update(new int[] {1}, new float[] {1}));
            worker.clock();
            table.sync();
            float[] expected = new float[12];
            expected[0] = 3;
            expected[11] = 0.75f;
            assertArrayEquals(expected, Updates.copy(table));
            float[] part = {-1, -1, -1, -1};
            table.view().copyTo(10, part, 1, 2);
            assertArrayEquals(new float[] {-1, 0, 0.75f, -1}, part);
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "12; 1; index 1 of the update of table w is 12, expected 0 to 11",
                "-1; 1; index 1 of the update of table w is -1, expected 0 to 11",
                "3; NaN; the update of table w in clock 1 is NaN at row 0, column 3, expected finite numbers"
            })
    void anUpdateOfWrongParametersPushesNothing(int index, float value, String words) {
        alone(exact(), (worker, table) -> {
            RuntimeException refused = assertThrows(
                    RuntimeException.class, () -> table.update(new int[] {2, index}, new float[] {1, value}));
            assertEquals(words, refused.getMessage());
            worker.clock();
            table.sync();
            assertArrayEquals(new float[12], Updates.copy(table));
        });
    }

    @ParameterizedTest
    @EnumSource
    void anUpdateOfFewRows(Protocol protocol) {
        alone(exact(protocol), (worker, table) -> {
            table.inc(0, 0, 1);
            table.updateRows(new int[] {2, 0, 2}, new float[] {1, 2, 3, 4, 0.5f, 0, 0, 0.5f, 1, 1, 1, 1});
            assertThrows(IllegalStateException.class, () -> table.updateRows(new int[0], new float[0]));
            worker.clock();
            table.sync();
            assertArrayEquals(new float[] {1.5f, 0, 0, 0.5f, 0, 0, 0, 0, 2, 3, 4, 5}, Updates.copy(table));
            float[] rows = new float[8];
            table.getRows(new int[] {2, 0}, rows);
            assertArrayEquals(new float[] {2, 3, 4, 5, 1.5f, 0, 0, 0.5f}, rows);
        });
    }

    @Drawn
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "3; 4; 1; rows[0] of table w is 3, expected 0 to 2",
                "-1; 4; 1; rows[0] of table w is -1, expected 0 to 2",
                "1; 3; 1; 1 rows of table w with 4 columns were given 3 floats, expected 4",
                "1; 4; NaN; the update of table w in clock 1 is NaN at row 1, column 3, expected finite numbers"
            })
    void anUpdateOfWrongRowsPushesNothing(int row, int floats, float last, String words) {
        alone(exact(), (worker, table) -> {
            float[] values = new float[floats];
            values[0] = 1;
            values[floats - 1] = last;
            RuntimeException refused =
                    assertThrows(RuntimeException.class, () -> table.updateRows(new int[] {row}, values));
            assertEquals(words, refused.getMessage());
            worker.clock();
            table.sync();
            assertArrayEquals(new float[12], Updates.copy(table));
        });
    }

    /** A seeded generator gives the same model for any slice length. */
    @ParameterizedTest
    @ValueSource(ints = {1, 5, 6, 4_096})
    void firstParametersDoNotDependOnTheSlices(int sliceElements) {
        ClusterSettings settings = TestCluster.terms()
                .servers(2)
                .workers(1)
                .sliceElements(sliceElements)
                .build();
        List<Long> starts = new ArrayList<>();
        TestCluster.run(driver, settings, worker -> {
            Table table = worker.table("w", 3, 4);
            SplittableRandom random = new SplittableRandom(7);
            worker.start((_, start, values) -> {
                starts.add(start);
                for (int i = 0; i < values.length; i++) {
                    values[i] = (float) random.nextDouble();
                }
            });
            SplittableRandom again = new SplittableRandom(7);
            float[] expected = new float[12];
            for (int i = 0; i < expected.length; i++) {
                expected[i] = (float) again.nextDouble();
            }
            assertArrayEquals(expected, Updates.copy(table));
        });
        assertEquals(List.of(0L, 4L, 8L), starts);
    }

    @Test
    void anInvalidTableIsRefusedWithASentence() {
        ClusterSettings settings =
                TestCluster.terms().servers(1).workers(1).sliceElements(4_096).build();
        TestCluster.run(driver, settings, worker -> {
            IllegalArgumentException unnamed =
                    assertThrows(IllegalArgumentException.class, () -> worker.table(null, 1, 1));
            assertEquals("the name of a table is null, expected 1 to 255 bytes", unnamed.getMessage());
            MessagingException large =
                    assertThrows(MessagingException.class, () -> worker.table("large", 1 << 20, 1 << 20));
            assertTrue(
                    large.getMessage().startsWith("table large of 1099511627776 floats takes at least twice "),
                    large.getMessage());
            worker.table("w", 1, 1);
            worker.start(Initialiser.ZEROS);
        });
    }

    @Test
    void aLongRowIsFilledInRuns() {
        List<String> runs = new ArrayList<>();
        FirstValues first = new FirstValues(
                new TableSpec(0, "w", 2, Initialiser.LONGEST_RUN + 3, 1 << 12),
                (_, start, values) -> runs.add(start + "+" + values.length));
        first.next(Initialiser.LONGEST_RUN + 1);
        first.next(Initialiser.LONGEST_RUN + 5);
        assertEquals(List.of("0+65536", "65536+3", "65539+65536", "131075+3"), runs);
    }

    @Test
    void aClockWithoutAnUpdatePushesTheResidual() {
        ClusterSettings settings =
                TestCluster.terms().servers(1).workers(1).filter("dvf:1").build();
        alone(settings, (worker, table) -> {
            float[] update = new float[12];
            update[5] = 0.75f; // below 1 / sqrt(1), above 1 / sqrt(2)
            table.update(update);
            worker.clock();
            table.sync();
            assertEquals(0, table.get(1, 1));
            assertEquals(0.75f, table.residualMaxAbs());
            worker.clock();
            table.sync();
            assertEquals(0.75f, table.get(1, 1));
            assertEquals(0, table.residualMaxAbs());
            assertEquals(2, table.version());
        });
    }

    @Test
    void aSecondUpdateInAnIterationIsRefused() {
        alone(exact(), (worker, table) -> {
            table.update(new float[12]);
            assertEquals(
                    "table w is updated twice in iteration 1, expected clock() between two updates",
                    assertThrows(IllegalStateException.class, () -> table.update(new float[12]))
                            .getMessage());
            worker.clock();
            table.sync();
            table.update(new float[12]);
        });
    }

    @Test
    void incrementsThatOverflowAreRefused() {
        alone(exact(), (worker, table) -> {
            table.inc(0, 0, 3e38f);
            requireNotFinite(
                    "the increment of table w in clock 1 is 3.0E38 at row 0, column 0, which makes Infinity",
                    () -> table.inc(0, 0, 3e38f));
            assertEquals(3e38f, table.residualMaxAbs());
        });
    }

    @Test
    void anUpdateOnAStaleReplicaIsRefused() {
        alone(exact(), (worker, table) -> {
            float[] update = new float[12];
            table.update(update);
            worker.clock();
            assertEquals(
                    "table w is updated in iteration 2 at version 0, but bsp needs version 1: call sync first",
                    assertThrows(IllegalStateException.class, () -> table.update(update))
                            .getMessage());
            table.sync();
            table.update(update);
            worker.clock();
        });
    }

    @ParameterizedTest
    @ValueSource(floats = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY})
    void valuesThatAreNotFiniteAreRefused(float bad) {
        alone(exact(), (worker, table) -> {
            float[] update = new float[12];
            Arrays.fill(update, 1);
            update[7] = bad;
            requireNotFinite(
                    "the update of table w in clock 1 is " + bad + " at row 1, column 3", () -> table.update(update));
            requireNotFinite(
                    "the increment of table w in clock 1 is " + bad + " at row 2, column 1, which makes " + bad,
                    () -> table.inc(2, 1, bad));
            requireNotFinite(
                    "the increment of table w in clock 1 is " + bad + " at row 2, column 3, which makes " + bad,
                    () -> table.incRow(2, new float[] {5, 5, 5, bad}));
            assertEquals(0, table.residualMaxAbs());
            table.inc(2, 3, Float.MAX_VALUE);
            float[] tooMuch = {1, 1, 1, Float.MAX_VALUE};
            requireNotFinite(
                    "the increment of table w in clock 1 is 3.4028235E38 at row 2, column 3, which makes Infinity",
                    () -> table.incRow(2, tooMuch));
            assertEquals(0, table.pending().get(8), "nothing is added if one sum is not finite");
            table.inc(2, 3, -Float.MAX_VALUE);
            assertEquals(0, table.residualMaxAbs());

            update[7] = 2;
            table.update(update);
            worker.clock();
            table.sync();
            assertEquals(2, table.get(1, 3), "the iteration continues with a valid update");
            assertEquals(1, table.get(2, 3));
        });
    }

    @Test
    void aWrongLengthIsRefused() {
        alone(exact(), (worker, table) -> {
            requireRefused(
                    "the update of table w has 11 floats, expected 12 floats", () -> table.update(new float[11]));
            requireRefused(
                    "the update of table w has 49 bytes, expected 12 floats",
                    () -> table.update(MemorySegment.ofArray(new byte[49])));
            requireRefused("row 1 of table w was given 3 values, expected 4", () -> table.incRow(1, new float[3]));
            requireRefused(
                    "row 1 of table w has 4 columns, expected that many floats in the array, which has 5",
                    () -> table.getRow(1, new float[5]));
        });
    }

    @Test
    void anIndexOutsideTheTableIsRefused() {
        alone(exact(), (worker, table) -> {
            for (int[] place : new int[][] {{3, 0}, {0, 4}, {-1, 0}, {0, -1}}) {
                boolean isRow = place[0] < 0 || place[0] >= 3;
                String sentence = (isRow ? "row " + place[0] : "column " + place[1])
                        + " of table w does not exist, expected 0 to " + (isRow ? 2 : 3);
                assertEquals(
                        sentence,
                        assertThrows(IndexOutOfBoundsException.class, () -> table.get(place[0], place[1]))
                                .getMessage());
                assertThrows(IndexOutOfBoundsException.class, () -> table.inc(place[0], place[1], 1));
            }
            assertThrows(IndexOutOfBoundsException.class, () -> table.incRow(3, new float[4]));
            assertThrows(IndexOutOfBoundsException.class, () -> table.getRow(-1, new float[4]));
            assertThrows(IndexOutOfBoundsException.class, () -> table.view().get(12));
            assertThrows(IndexOutOfBoundsException.class, () -> table.view().copyTo(1, new float[12]));
        });
    }

    @Test
    void theViewIsAReadOnlyWindowOnTheReplica() {
        alone(exact(), (worker, table) -> {
            FloatView view = table.sync();
            assertSame(view, table.view());
            assertEquals(12, view.size());
            assertTrue(view.segment().isReadOnly());
            assertEquals(48, view.segment().byteSize());
            table.inc(0, 1, 3);
            worker.clock();
            table.sync();
            assertEquals(3, view.get(1));
        });
    }

    private static void requireNotFinite(String sentence, Executable attempt) {
        ClusterException refused = assertThrows(ClusterException.class, attempt);
        assertEquals(sentence + ", expected finite numbers", refused.getMessage());
        assertEquals(Failure.NOT_FINITE, refused.failure());
    }

    private static void requireRefused(String sentence, Executable attempt) {
        assertEquals(
                sentence, assertThrows(IllegalArgumentException.class, attempt).getMessage());
    }
}
