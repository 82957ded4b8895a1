package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.codecs.Property;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.Protocol;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Local steps give the parameters that a plain program of all workers' copies gives, bit for bit. */
@Timeout(240)
class LocalStepsTest {
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

    @Tag("slow")
    @ParameterizedTest
    @CsvSource({"sum", "mean", "adagrad:0.4"})
    void oneStepIsAnUpdateOfATrainerWithoutLocalSteps(String rule) {
        Property.holds(1, random -> {
            int workers = random.nextInt(1, 4);
            ClusterSettings settings = PlainSteps.settings(random, rule, workers);
            Updates updates = new Updates(random.nextLong(), PlainSteps.SHAPES);
            Map<String, float[]> expected = new ConcurrentHashMap<>();
            TestCluster.run(driver, settings, worker -> {
                List<Table> tables = updates.start(worker);
                for (int clock = 1; clock <= 10; clock++) {
                    updates.step(worker, tables);
                    keep(expected, worker, clock, tables.stream().map(Table::sync));
                }
                worker.drain();
            });
            TestCluster.run(driver, settings, worker -> {
                List<Table> tables = updates.declare(worker);
                LocalSteps local = LocalSteps.of(worker, 1, tables.toArray(Table[]::new));
                worker.start(updates::initial);
                Map<String, float[]> found = new ConcurrentHashMap<>();
                for (int clock = 1; clock <= 10; clock++) {
                    for (Table table : tables) {
                        local.add(table, updates.of(table.spec(), worker.index(), clock));
                    }
                    assertTrue(local.step());
                    keep(found, worker, clock, tables.stream().map(local::parameters));
                }
                worker.drain();
                found.forEach((key, values) -> assertArrayEquals(expected.get(key), values, key));
            });
        });
    }

    private static void keep(Map<String, float[]> kept, Worker worker, int clock, Stream<FloatView> views) {
        int[] table = {0};
        views.forEach(view -> kept.put(
                worker.index() + " at " + clock + ", table " + table[0]++,
                view.segment().toArray(ValueLayout.JAVA_FLOAT)));
    }

    @Drawn
    @ParameterizedTest
    @CsvSource({
        "mean, 4, 1, 0, keep",
        "mean, 6, 2, 1, keep",
        "nesterov:0.7~0.9;outer, 8, 4, 0, keep",
        "nesterov:0.7~0.9;outer, 4, 2, 1, mix",
        "momentum:0.5~0.5;outer, 3, 1, 2, mix",
    })
    void copiesAreThoseOfAPlainProgram(String rule, int steps, int fragments, int delay, String later) {
        Property.holds(1, random -> {
            int workers = random.nextInt(1, 4);
            float mixing = later.equals("mix") ? 0.25f : Float.NaN;
            String outer = rule.replace('~', ',');
            ClusterSettings settings = PlainSteps.settings(random, outer, workers);
            Updates updates = new Updates(random.nextLong(), PlainSteps.SHAPES);
            TestCluster.run(driver, settings, worker -> {
                List<Table> tables = updates.declare(worker);
                LocalSteps local = LocalSteps.of(worker, steps, tables.toArray(Table[]::new))
                        .fragments(fragments);
                if (Float.isNaN(mixing)) {
                    local.delay(delay);
                } else {
                    local.delay(delay, mixing);
                }
                worker.start(updates::initial);
                List<PlainSteps> plain = IntStream.range(0, tables.size())
                        .mapToObj(i -> new PlainSteps(tables.get(i), updates, outer, workers))
                        .toList();
                int clock = steps / fragments;
                for (int step = 1; step <= 5 * steps; step++) {
                    for (int i = 0; i < tables.size(); i++) {
                        plain.get(i).require(local.parameters(tables.get(i)), worker.index(), step);
                        local.add(tables.get(i), plain.get(i).update(worker.index(), step));
                        plain.get(i).add(step);
                    }
                    assertEquals(step % clock == 0, local.step());
                    for (int i = 0; i < tables.size(); i++) {
                        int first = (i % fragments + 1) * clock;
                        if (step >= first && (step - first) % steps == 0) {
                            plain.get(i).push(step / clock);
                        }
                        if (step >= first + delay && (step - first - delay) % steps == 0) {
                            plain.get(i).take(mixing);
                        }
                    }
                }
                assertEquals(5L * fragments, worker.completed());
                worker.drain();
            });
        });
    }

    /** Eight fragments of equal tables: no clock carries more than a sixth of what one clock carries without them. */
    @Tag("slow")
    @Test
    void fragmentsSpreadTheBytes() {
        ClusterSettings settings = TestCluster.terms().workers(2).rule("mean").build();
        List<Shape> shapes =
                IntStream.range(0, 8).mapToObj(i -> new Shape("t" + i, 40, 100)).toList();
        long[] most = new long[2];
        for (int fragments : new int[] {1, 8}) {
            Updates updates = new Updates(3, shapes);
            TestCluster.run(driver, settings, worker -> {
                List<Table> tables = updates.declare(worker);
                LocalSteps local =
                        LocalSteps.of(worker, 16, tables.toArray(Table[]::new)).fragments(fragments);
                worker.start(updates::initial);
                tables.forEach(Table::sync);
                long before = worker.bytesPushed();
                long peak = 0;
                for (int step = 1; step <= 48; step++) {
                    for (Table table : tables) {
                        local.add(table, updates.of(table.spec(), worker.index(), step));
                    }
                    if (local.step()) {
                        peak = Math.max(peak, worker.bytesPushed() - before);
                        before = worker.bytesPushed();
                    }
                }
                worker.drain();
                if (worker.index() == 1) {
                    most[fragments / 8] = peak;
                }
            });
        }
        assertTrue(most[1] > 0 && most[1] * 6 <= most[0], Arrays.toString(most));
    }

    /** Under push-pull a worker requests the parameters of a clock once, also before its first step and at the end. */
    @Test
    void parametersOfAClockArePulledOnce() {
        ClusterSettings settings = TestCluster.terms()
                .workers(2)
                .servers(2)
                .protocol(Protocol.PUSH_PULL)
                .build();
        Updates updates = new Updates(7, PlainSteps.SHAPES);
        TestCluster.run(driver, settings, worker -> {
            List<Table> tables = updates.declare(worker);
            LocalSteps local = LocalSteps.of(worker, 2, tables.toArray(Table[]::new));
            worker.start(updates::initial);
            long sent = worker.bytesPushed();
            for (int step = 1; step <= 6; step++) {
                for (Table table : tables) {
                    local.parameters(table);
                    assertEquals(sent, worker.bytesPushed(), "bytes sent before step " + step);
                    local.add(table, updates.of(table.spec(), worker.index(), step));
                }
                if (local.step()) {
                    assertTrue(worker.bytesPushed() > sent, "the clock of step " + step);
                    sent = worker.bytesPushed();
                }
            }
            worker.drain();
            assertEquals(sent, worker.bytesPushed(), "bytes sent at the end");
        });
    }

    /** A worker whose copies are saved and restored has the bits of one that is not. */
    @Test
    void savedCopiesContinue() {
        ClusterSettings settings = TestCluster.terms().workers(1).rule("mean").build();
        Updates updates = new Updates(5, PlainSteps.SHAPES);
        TestCluster.run(driver, settings, worker -> {
            List<Table> tables = updates.declare(worker);
            Table[] all = tables.toArray(Table[]::new);
            LocalSteps local = LocalSteps.of(worker, 6, all).fragments(2).delay(1);
            worker.start(updates::initial);
            for (int step = 1; step <= 9; step++) { // ends with a clock, before its new parameters are taken
                for (Table table : tables) {
                    local.add(table, updates.of(table.spec(), 0, step));
                }
                local.step();
            }
            LocalSteps restored = LocalSteps.of(worker, 6, all).fragments(2).delay(1);
            restored.restore(local.save());
            assertThrows(IllegalStateException.class, () -> restored.delay(0));
            refused(() -> LocalSteps.of(worker, 6, all).restore(local.save()), "6, 2, 1, NaN, expected 6, 1, 0, NaN");
            for (Table table : tables) {
                assertArrayEquals(
                        local.parameters(table).segment().toArray(ValueLayout.JAVA_FLOAT),
                        restored.parameters(table).segment().toArray(ValueLayout.JAVA_FLOAT));
            }
            for (Table table : tables) {
                restored.add(table, updates.of(table.spec(), 0, 10));
                local.add(table, updates.of(table.spec(), 0, 10));
            }
            restored.step();
            local.step();
            for (Table table : tables) {
                assertArrayEquals(
                        local.parameters(table).segment().toArray(ValueLayout.JAVA_FLOAT),
                        restored.parameters(table).segment().toArray(ValueLayout.JAVA_FLOAT));
            }
            assertThrows(IllegalArgumentException.class, () -> restored.restore(new byte[8]));
            worker.drain();
        });
    }

    /** A job that is aborted and restored, with the copies in its snapshots, ends as an undisturbed one. */
    @Tag("slow")
    @Test
    void aRestoredJobHasTheBitsOfAnUndisturbedOne() {
        ClusterSettings settings = TestCluster.terms().rule("mean").build();
        Updates updates = new Updates(17, PlainSteps.SHAPES);
        Map<Integer, float[]> expected = new ConcurrentHashMap<>();
        TestCluster.run(driver, settings, worker -> train(worker, updates, SavedTraining.NEVER, expected));
        AtomicLong begun = new AtomicLong();
        for (int run = 0; run < 2; run++) {
            try (TestCluster cluster = SavedTraining.cluster(driver, settings, folder, true)) {
                cluster.train(worker -> {
                    begun.set(worker.plan().start().clock());
                    LongPredicate over = clock -> clock > begun.get() + 10
                            && SavedTraining.snapshots(folder, "worker-1").size() >= 2;
                    train(worker, updates, worker.index() == 1 ? over : SavedTraining.NEVER, new ConcurrentHashMap<>());
                    throw new IllegalStateException("given up");
                });
                cluster.awaitEnd("worker 1");
            }
        }
        assertTrue(begun.get() > 0, "the second run began at the start");
        Map<Integer, float[]> last = new ConcurrentHashMap<>();
        try (TestCluster cluster = SavedTraining.cluster(driver, settings, folder, true)) {
            cluster.train(worker -> train(worker, updates, SavedTraining.NEVER, last));
            cluster.awaitSuccess();
        }
        expected.forEach((worker, replica) -> assertArrayEquals(replica, last.get(worker), "worker " + worker));
    }

    private static void train(Worker worker, Updates updates, LongPredicate end, Map<Integer, float[]> last) {
        List<Table> tables = updates.declare(worker);
        LocalSteps local = LocalSteps.of(worker, 6, tables.toArray(Table[]::new))
                .fragments(2)
                .delay(1);
        worker.trainerState(local::save, local::restore);
        worker.start(updates::initial);
        for (long step = 3 * worker.completed() + 1; step <= 360; step++) {
            if (end.test(worker.completed() + 1)) {
                return;
            }
            for (Table table : tables) {
                float copied = local.parameters(table).get(0); // what is pushed depends on the copies
                float[] update = updates.of(table.spec(), worker.index(), step);
                update[0] -= 0.1f * copied;
                local.add(table, update);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            local.step();
        }
        worker.drain();
        last.put(worker.index(), Updates.copy(tables.get(2)));
    }

    @Test
    void mistakesChangeNothing() {
        ClusterSettings settings = TestCluster.terms().workers(1).rule("mean").build();
        TestCluster.run(driver, settings, worker -> {
            Table one = worker.table("one", 2, 2);
            Table two = worker.table("two", 2, 2);
            refused(() -> LocalSteps.of(worker, 0, one), "there are 0 local steps");
            refused(() -> LocalSteps.of(worker, 1), "no table");
            refused(() -> LocalSteps.of(worker, 1, one, one), "table one is given twice");
            LocalSteps local = LocalSteps.of(worker, 4, one);
            refused(() -> local.fragments(2), "the number of fragments is 2");
            refused(() -> LocalSteps.of(worker, 3, one, two).fragments(2), "the steps (3)");
            refused(() -> local.delay(4), "expected 0 to 3");
            LocalSteps late = LocalSteps.of(worker, 4, one, two).delay(3);
            refused(() -> late.fragments(2), "expected 0 to 1");
            LocalSteps.of(worker, 4, one, two).delay(3).restore(late.save());
            refused(() -> local.delay(1, 1), "share of a worker's own copy is 1.0");
            assertThrows(IllegalStateException.class, () -> local.parameters(one), "the worker has not been started");
            worker.start(Initialiser.ZEROS);
            refused(() -> local.add(two, new float[4]), "table two is not one");
            refused(() -> local.add(one, new float[3]), "3 floats");
            ClusterException infinite = assertThrows(
                    ClusterException.class, () -> local.add(one, new float[] {1, 2, Float.POSITIVE_INFINITY, 4}));
            assertEquals(Failure.NOT_FINITE, infinite.failure());
            assertEquals(0, local.parameters(one).get(0));
            assertThrows(IllegalStateException.class, () -> local.delay(1));
            for (int step = 0; step < 4; step++) {
                local.step();
            }
            worker.clock();
            worker.drain();
        });
        ClusterSettings momentum = TestCluster.terms()
                .workers(1)
                .rule("momentum:1")
                .filter("dvf:1")
                .build();
        TestCluster.run(driver, momentum, worker -> {
            Table one = worker.table("one", 2, 2);
            Table two = worker.table("two", 2, 2);
            refused(() -> LocalSteps.of(worker, 2, one, two).fragments(2), "2 fragments with rule momentum:1");
            refused(() -> LocalSteps.of(worker, 2, one, two).delay(1, 0.5f), "filter of table one is dvf:1");
            worker.start(Initialiser.ZEROS);
            worker.drain();
        });
        ClusterSettings managed = TestCluster.terms(Protocol.MANAGED).workers(1).build();
        TestCluster.run(driver, managed, worker -> {
            Table one = worker.table("one", 2, 2);
            refused(() -> LocalSteps.of(worker, 2, one), "protocol managed does not support local steps");
            worker.start(Initialiser.ZEROS);
            worker.drain();
        });
    }

    static void refused(Runnable call, String reason) {
        String message = assertThrows(IllegalArgumentException.class, call::run).getMessage();
        assertTrue(message.contains(reason), message);
    }
}
