package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.standard.RuleByHand;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.consistency.terms.WorkerSet;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;
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
    private static final List<Shape> SHAPES =
            List.of(new Shape("a", 5, 7), new Shape("b", 1, 1), new Shape("c", 13, 31), new Shape("d", 2, 3));

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

    private static ClusterSettings settings(SplittableRandom random, String rule, int workers) {
        return TestCluster.terms()
                .workers(workers)
                .servers(random.nextInt(1, 4))
                .sliceElements(random.nextInt(1, 200))
                .transport(random.nextBoolean() ? TransportKind.IPC : TransportKind.UDP)
                .tree(random.nextBoolean() ? "chain" : "flat")
                .rule(rule)
                .build();
    }

    @ParameterizedTest
    @CsvSource({"sum", "mean", "adagrad:0.4"})
    void oneStepIsAnUpdateOfATrainerWithoutLocalSteps(String rule) {
        Property.holds(1, random -> {
            int workers = random.nextInt(1, 4);
            ClusterSettings settings = settings(random, rule, workers);
            Updates updates = new Updates(random.nextLong(), SHAPES);
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

    @ParameterizedTest
    @CsvSource({
        "mean, 4, 1, 0, keep",
        "mean, 6, 2, 1, keep",
        "nesterov:0.7~0.9;outer, 8, 4, 0, keep",
        "nesterov:0.7~0.9;outer, 4, 2, 1, mix",
        "momentum:0.5~0.5;outer, 3, 1, 2, mix",
    })
    void copiesAreThoseOfAPlainProgram(String rule, int steps, int fragments, int delay, String later) {
        Property.holds(2, random -> {
            int workers = random.nextInt(1, 4);
            float mixing = later.equals("mix") ? 0.25f : Float.NaN;
            String outer = rule.replace('~', ',');
            ClusterSettings settings = settings(random, outer, workers);
            Updates updates = new Updates(random.nextLong(), SHAPES);
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
                List<Plain> plain = IntStream.range(0, tables.size())
                        .mapToObj(i -> new Plain(tables.get(i), updates, outer, workers))
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

    /**
     * Federated averaging: each drawn worker has another number of examples, and its steps depend on its copy. Every
     * worker computes what all of them do, in one process.
     */
    @Tag("slow")
    @ParameterizedTest
    @CsvSource({
        "mean;weighted, 4, 1, 2",
        "mean;weighted, 2, 1, 9",
        "mean;weighted, 4, 2, 1",
        "nesterov:0.7~0.5;outer;weighted, 3, 1, 2",
        "nesterov:0.7~0.5;outer, 6, 3, 2",
        "mean, 3, 1, 1",
    })
    void drawnWorkersMakeTheMeanOfTheirSteps(String text, int steps, int fragments, int drawn) {
        String rule = text.replace('~', ',');
        Property.holds(2, random -> {
            int workers = random.nextInt(1, 5);
            long seed = random.nextLong();
            ClusterSettings settings = settings(random, rule, workers);
            Updates updates = new Updates(random.nextLong(), SHAPES);
            Map<Integer, float[]> last = new ConcurrentHashMap<>();
            TestCluster.run(driver, settings, worker -> {
                List<Table> tables = updates.declare(worker);
                LocalSteps local = LocalSteps.of(worker, steps, tables.toArray(Table[]::new))
                        .fragments(fragments)
                        .sample(drawn, seed);
                worker.start(updates::initial);
                List<Plain> plain = tables.stream()
                        .map(table -> new Plain(table, updates, rule, workers))
                        .toList();
                for (int clock = 1; clock <= 6 * fragments; clock++) {
                    int now = clock;
                    IntPredicate takesPart = each -> LocalSteps.isDrawn(seed, now, drawn, workers, each);
                    plain.forEach(each -> each.draw(takesPart, now));
                    assertEquals(takesPart.test(worker.index()), local.takesPart(), "clock " + clock);
                    trainSampled(worker, local, tables, plain, steps / fragments);
                    for (int i = 0; i < tables.size(); i++) {
                        if (i % fragments == (clock - 1) % fragments) {
                            plain.get(i).push(clock);
                            plain.get(i).take(Float.NaN);
                        }
                        plain.get(i).require(local.parameters(tables.get(i)), worker.index(), clock * steps);
                    }
                }
                worker.drain();
                last.put(worker.index(), Updates.copy(tables.getLast()));
            });
            last.values().forEach(replica -> assertArrayEquals(last.get(0), replica));
        });
    }

    private static void trainSampled(
            Worker worker, LocalSteps local, List<Table> tables, List<Plain> plain, int steps) {
        int first = (int) worker.completed() * steps;
        boolean takesPart = local.takesPart();
        if (takesPart && plain.getFirst().weighs) {
            worker.weigh(Plain.weight(worker.index(), worker.completed() + 1));
        }
        for (int step = first + 1; step <= first + steps; step++) {
            for (int i = 0; i < tables.size(); i++) {
                if (takesPart) {
                    local.add(tables.get(i), plain.get(i).update(worker.index(), step));
                }
                plain.get(i).add(step);
            }
            if (takesPart) {
                assertEquals(step == first + steps, local.step());
            }
        }
        if (!takesPart) {
            long frames = worker.stats().framesPushed();
            local.skip();
            assertEquals(frames, worker.stats().framesPushed(), "frames of a worker that is not drawn");
        }
    }

    /** All sets of three of seven workers occur equally often: chi-square, exceeded once in 10^9 runs. */
    @Test
    void drawsAreUniform() {
        Property.holds(1, random -> {
            long seed = random.nextLong();
            int[] counts = new int[1 << 7];
            int clocks = 35 * 200;
            for (int clock = 1; clock <= clocks; clock++) {
                int set = 0;
                for (int rank = 0; rank < 7; rank++) {
                    set |= LocalSteps.isDrawn(seed, clock, 3, 7, rank) ? 1 << rank : 0;
                }
                assertEquals(3, Integer.bitCount(set), "workers drawn for clock " + clock);
                counts[set]++;
            }
            double chiSquare = Arrays.stream(counts)
                    .filter(count -> count > 0)
                    .mapToDouble(count -> (count - 200.0) * (count - 200.0) / 200)
                    .sum();
            assertEquals(35, Arrays.stream(counts).filter(count -> count > 0).count());
            assertTrue(chiSquare < 110, "chi-square is " + chiSquare);
        });
    }

    @Test
    void drawsOfTwoSeedsDiffer() {
        long equal = IntStream.rangeClosed(1, 1_000)
                .filter(clock -> LocalSteps.isDrawn(1, clock, 1, 2, 0) == LocalSteps.isDrawn(2, clock, 1, 2, 0))
                .count();
        assertTrue(equal > 400 && equal < 600, equal + " of 1000 draws are equal");
    }

    /** The last clock of a worker that leaves has all that it has added. */
    @Test
    void aWorkerThatLeavesTakesPartInItsLastClock() {
        ClusterSettings settings =
                TestCluster.terms().workers(3).places(3).rule("mean;weighted").build();
        Updates updates = new Updates(9, SHAPES);
        Map<Integer, float[]> last = new ConcurrentHashMap<>();
        AtomicLong lastClocks = new AtomicLong();
        TestCluster.run(driver, settings, worker -> {
            List<Table> tables = updates.declare(worker);
            LocalSteps local =
                    LocalSteps.of(worker, 1, tables.toArray(Table[]::new)).sample(1, 4);
            worker.start(updates::initial);
            WorkerSetView workerSet = worker.workerSet();
            while (workerSet.takesPart() && !hasShrunk(workerSet.now(), worker.completed())) {
                long clock = worker.completed() + 1;
                if (workerSet.lastClock() == clock) {
                    assertTrue(local.takesPart());
                    lastClocks.incrementAndGet();
                }
                if (worker.index() == 1 && clock == 5) {
                    workerSet.requestLeave();
                }
                if (local.takesPart()) {
                    tables.forEach(table -> local.add(table, updates.of(table.spec(), worker.index(), clock)));
                    local.step();
                } else {
                    local.skip();
                }
            }
            worker.drain();
            if (worker.index() != 1) {
                last.put(worker.index(), Updates.copy(tables.getFirst()));
            }
        });
        assertEquals(1, lastClocks.get());
        assertArrayEquals(last.get(0), last.get(2));
    }

    /** Whether two workers have ended five clocks without the third. */
    private static boolean hasShrunk(WorkerSet workerSet, long completed) {
        return workerSet.size() == 2 && completed >= workerSet.since() + 4;
    }

    /** One table: the parameters of the servers, and each worker's copy and sum. */
    private static final class Plain {
        private final Table table;
        private final boolean weighs;
        private IntPredicate isDrawn = _ -> true;
        private final int[] weights;
        private final Updates updates;
        private final RuleByHand[] rules;
        private final float[] parameters;
        private final float[][] copies;
        private final float[][] sums;

        Plain(Table table, Updates updates, String rule, int workers) {
            this.table = table;
            this.updates = updates;
            weighs = rule.endsWith(";weighted");
            weights = new int[workers];
            parameters = new float[(int) table.spec().elements()];
            updates.initial(table.spec().name(), 0, parameters);
            rules = new RuleByHand[parameters.length];
            Arrays.setAll(rules, _ -> new RuleByHand(rule));
            copies = new float[workers][];
            Arrays.setAll(copies, _ -> parameters.clone());
            sums = new float[workers][parameters.length];
        }

        /** Begins a clock of which some workers take part. */
        void draw(IntPredicate drawn, long clock) {
            isDrawn = drawn;
            Arrays.setAll(weights, worker -> weight(worker, clock));
        }

        static int weight(int worker, long clock) {
            return 1 + (int) (7 * worker + 3 * clock) % 11;
        }

        /** A step that depends on the worker's copy. */
        float[] update(int worker, int step) {
            float[] update = updates.of(table.spec(), worker, step);
            for (int i = 0; i < update.length; i++) {
                update[i] -= 0.25f * copies[worker][i];
            }
            return update;
        }

        void add(int step) {
            for (int worker = 0; worker < copies.length; worker++) {
                if (!isDrawn.test(worker)) {
                    continue;
                }
                float[] update = update(worker, step);
                for (int i = 0; i < update.length; i++) {
                    copies[worker][i] += update[i];
                    sums[worker][i] += update[i];
                }
            }
        }

        void push(long round) {
            int slice = table.spec().sliceLength(0);
            for (int start = 0; start < parameters.length; start += slice) {
                int end = Math.min(start + slice, parameters.length);
                boolean[] isPushed = new boolean[copies.length];
                for (int worker = 0; worker < copies.length; worker++) {
                    isPushed[worker] = weighs;
                    for (int i = start; i < end; i++) {
                        isPushed[worker] |= sums[worker][i] != 0;
                    }
                    isPushed[worker] &= isDrawn.test(worker);
                }
                for (int i = start; i < end; i++) {
                    Float[] pushes = new Float[copies.length];
                    for (int worker = 0; worker < pushes.length; worker++) {
                        pushes[worker] = isPushed[worker] ? sums[worker][i] : null;
                    }
                    parameters[i] += rules[i].add(0, round, weights, pushes);
                }
            }
            for (int worker = 0; worker < sums.length; worker++) {
                if (isDrawn.test(worker)) {
                    Arrays.fill(sums[worker], 0);
                }
            }
        }

        void take(float mixing) {
            for (int worker = 0; worker < copies.length; worker++) {
                for (int i = 0; i < parameters.length; i++) {
                    if (Float.isNaN(mixing)) {
                        copies[worker][i] = parameters[i] + sums[worker][i];
                    } else {
                        copies[worker][i] = mixing * copies[worker][i] + (1 - mixing) * parameters[i];
                        sums[worker][i] = copies[worker][i] - parameters[i];
                    }
                }
            }
        }

        void require(FloatView found, int worker, int step) {
            for (int i = 0; i < parameters.length; i++) {
                int at = i;
                assertEquals(
                        copies[worker][i],
                        found.get(i),
                        0f,
                        () -> "element " + at + " of " + table.spec().name() + " at worker " + worker + " before step "
                                + step);
            }
        }
    }

    /** Eight fragments of equal tables: no clock carries more than a sixth of what one clock carries without them. */
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
        Updates updates = new Updates(7, SHAPES);
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
        Updates updates = new Updates(5, SHAPES);
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
    @Test
    void aRestoredJobHasTheBitsOfAnUndisturbedOne() {
        ClusterSettings settings = TestCluster.terms().rule("mean").build();
        Updates updates = new Updates(17, SHAPES);
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
        worker.trainerState(local);
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
            refused(() -> LocalSteps.of(worker, 2, one), "the protocol is managed");
            worker.start(Initialiser.ZEROS);
            worker.drain();
        });
    }

    @Test
    void mistakesOfSamplingChangeNothing() {
        ClusterSettings settings =
                TestCluster.terms().workers(2).rule("mean;weighted").build();
        TestCluster.run(driver, settings, worker -> {
            assertThrows(IllegalStateException.class, () -> worker.weigh(1), "no table is declared");
            Table table = worker.table("one", 2, 2);
            refused(
                    () -> worker.weigh(0),
                    "the weight of the pushes of worker " + worker.index() + " is 0, expected 1");
            refused(() -> LocalSteps.of(worker, 4, table).sample(0, 1), "workers sampled for each clock is 0");
            refused(() -> LocalSteps.of(worker, 4, table).delay(1).sample(1, 1), "1 steps after a push, expected 0");
            LocalSteps local = LocalSteps.of(worker, 2, table).sample(1, 7);
            refused(() -> local.delay(1), "the workers of each clock are sampled (1)");
            assertThrows(IllegalStateException.class, local::takesPart, "the worker has not been started");
            worker.start(Initialiser.ZEROS);
            for (int clock = 1; clock <= 8; clock++) {
                if (local.takesPart()) {
                    local.add(table, new float[] {1, 0, 0, 0});
                    assertThrows(IllegalStateException.class, local::skip);
                    local.step();
                    assertThrows(IllegalStateException.class, local::skip);
                    local.add(table, new float[] {1, 0, 0, 0});
                    local.step();
                } else {
                    assertThrows(IllegalStateException.class, () -> local.add(table, new float[4]));
                    assertThrows(IllegalStateException.class, local::step);
                    local.skip();
                }
                assertEquals(clock, worker.completed());
                assertEquals(2 * clock, local.parameters(table).get(0));
            }
            assertThrows(IllegalStateException.class, () -> local.sample(2, 7));
            worker.drain();
        });
        for (ClusterSettingsBuilder terms : List.of(
                TestCluster.terms().workers(1).consistency("drift:1,4"),
                TestCluster.terms(Protocol.PUSH_PULL).workers(1))) {
            TestCluster.run(driver, terms.build(), worker -> {
                Table table = worker.table("one", 2, 2);
                refused(() -> LocalSteps.of(worker, 1, table).sample(1, 1), "are sampled (1) with consistency");
                assertThrows(IllegalStateException.class, () -> worker.weigh(2), "the rule is sum");
                worker.start(Initialiser.ZEROS);
                worker.drain();
            });
        }
    }

    private static void refused(Runnable call, String reason) {
        String message = assertThrows(IllegalArgumentException.class, call::run).getMessage();
        assertTrue(message.contains(reason), message);
    }
}
