package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterSettings;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(240)
class EvaluationCopyTest {
    private static final int CLOCKS = 300;
    private static final List<Shape> SHAPES = List.of(new Shape("w", 30, 20), new Shape("b", 1, 10));

    private static final Executor THREADS = task -> Thread.ofPlatform().daemon().start(task);

    private static TestDriver driver;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    /** A copy is complete, whatever the trainer does in the meantime, and equal at all workers at its version. */
    @Tag("slow")
    @Drawn
    @ParameterizedTest
    @ValueSource(strings = {"bsp", "ssp:2", "tap"})
    void copiesOfAVersionAreTheSameAtAllWorkers(String consistency) {
        ClusterSettings settings =
                TestCluster.terms().consistency(consistency).filter("dvf:20").build();
        Updates updates = new GridUpdates(3, SHAPES);
        Map<Long, float[]> seen = new ConcurrentHashMap<>();
        AtomicLong copies = new AtomicLong();
        TestCluster.run(driver, settings, worker -> {
            List<Table> tables = updates.start(worker);
            EvaluationCopy copy = worker.evaluationCopy();
            CompletableFuture<Void> evaluation =
                    CompletableFuture.runAsync(() -> evaluate(copy, tables.getFirst(), seen, copies), THREADS);
            for (int clock = 0; clock < CLOCKS; clock++) {
                tables.forEach(Table::sync);
                copy.offer();
                updates.step(worker, tables);
            }
            worker.drain();
            while (!copy.offer() && !evaluation.isDone()) {
                Thread.onSpinWait(); // until the evaluation has released the previous copy
            }
            copy.close();
            evaluation.join();
        });
        assertTrue(copies.get() >= settings.workers(), copies + " copies were compared");
    }

    private static void evaluate(EvaluationCopy copy, Table table, Map<Long, float[]> seen, AtomicLong copies) {
        long last = -1;
        try {
            for (long version = copy.await(); version >= 0; version = copy.await()) {
                float[] values = new float[(int) copy.view(table).size()];
                copy.view(table).copyTo(0, values);
                assertTrue(version >= last, "version " + version + " follows " + last);
                last = version;
                float[] others = seen.putIfAbsent(version, values);
                Thread.yield();
                float[] again = new float[values.length];
                copy.view(table).copyTo(0, again);
                assertArrayEquals(values, again, "a copy changed while it was read");
                if (null != others) {
                    assertArrayEquals(others, values, () -> "version " + seen.keySet());
                }
                copies.incrementAndGet();
                copy.release();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void isMadeOnlyOnRequest() {
        ClusterSettings settings = TestCluster.terms().workers(1).build();
        TestCluster.run(driver, settings, worker -> {
            assertThrows(IllegalStateException.class, worker::evaluationCopy);
            Table table = worker.table("w", 3, 4);
            EvaluationCopy copy = worker.evaluationCopy();
            Table later = worker.table("later", 1, 1);
            assertThrows(IllegalStateException.class, copy::offer);
            worker.start((name, start, values) -> Arrays.fill(values, 7));
            assertFalse(copy.offer(), "no thread waits for it");
            assertThrows(IllegalArgumentException.class, () -> copy.view(later));
            CompletableFuture<Long> version = CompletableFuture.supplyAsync(() -> await(copy), THREADS);
            while (!copy.offer()) {
                Thread.onSpinWait();
            }
            assertEquals(0, version.join());
            table.update(new int[] {5}, new float[] {1});
            worker.clock();
            worker.drain();
            assertFalse(copy.offer(), "it has not been released");
            assertEquals(7, copy.view(table).get(5));
            copy.release();
            CompletableFuture<Long> next = CompletableFuture.supplyAsync(() -> await(copy), THREADS);
            while (!copy.offer()) {
                Thread.onSpinWait();
            }
            assertEquals(1, next.join());
            assertEquals(8, copy.view(table).get(5));
            copy.release();
            CompletableFuture<Long> none = CompletableFuture.supplyAsync(() -> await(copy), THREADS);
            worker.close();
            assertEquals(-1, none.join(), "a closed worker makes no copy");
        });
    }

    private static long await(EvaluationCopy copy) {
        try {
            return copy.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
