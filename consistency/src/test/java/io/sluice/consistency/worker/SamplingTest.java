package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.codecs.Property;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.WorkerSet;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The workers that are drawn for a clock, and no others, take part in it. */
@Timeout(240)
class SamplingTest {
    private static TestDriver driver;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    /**
     * Federated averaging: each drawn worker has another number of examples, and its steps depend on its copy. Every
     * worker computes what all of them do, in one process.
     */
    @Tag("slow")
    @Drawn
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
        Property.holds(1, random -> {
            int workers = random.nextInt(1, 5);
            long seed = random.nextLong();
            ClusterSettings settings = PlainSteps.settings(random, rule, workers);
            Updates updates = new Updates(random.nextLong(), PlainSteps.SHAPES);
            Map<Integer, float[]> last = new ConcurrentHashMap<>();
            TestCluster.run(driver, settings, worker -> {
                List<Table> tables = updates.declare(worker);
                LocalSteps local = LocalSteps.of(worker, steps, tables.toArray(Table[]::new))
                        .fragments(fragments)
                        .sample(drawn, seed);
                worker.start(updates::initial);
                List<PlainSteps> plain = tables.stream()
                        .map(table -> new PlainSteps(table, updates, rule, workers))
                        .toList();
                for (int clock = 1; clock <= 6 * fragments; clock++) {
                    int now = clock;
                    IntPredicate takesPart = each -> Sampling.isDrawn(seed, now, drawn, workers, each);
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
            Worker worker, LocalSteps local, List<Table> tables, List<PlainSteps> plain, int steps) {
        int first = (int) worker.completed() * steps;
        boolean takesPart = local.takesPart();
        if (takesPart && plain.getFirst().weighs) {
            worker.weigh(PlainSteps.weight(worker.index(), worker.completed() + 1));
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
                    set |= Sampling.isDrawn(seed, clock, 3, 7, rank) ? 1 << rank : 0;
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
                .filter(clock -> Sampling.isDrawn(1, clock, 1, 2, 0) == Sampling.isDrawn(2, clock, 1, 2, 0))
                .count();
        assertTrue(equal > 400 && equal < 600, equal + " of 1000 draws are equal");
    }

    /** The last clock of a worker that leaves has all that it has added. */
    @Test
    void aWorkerThatLeavesTakesPartInItsLastClock() {
        ClusterSettings settings =
                TestCluster.terms().workers(3).places(3).rule("mean;weighted").build();
        Updates updates = new Updates(9, PlainSteps.SHAPES);
        Map<Integer, float[]> last = new ConcurrentHashMap<>();
        AtomicLong lastClocks = new AtomicLong();
        TestCluster.run(driver, settings, worker -> {
            List<Table> tables = updates.declare(worker);
            LocalSteps local =
                    LocalSteps.of(worker, 1, tables.toArray(Table[]::new)).sample(1, 4);
            worker.start(updates::initial);
            while (worker.takesPart() && !hasShrunk(worker.workerSet(), worker.completed())) {
                long clock = worker.completed() + 1;
                if (worker.lastClock() == clock) {
                    assertTrue(local.takesPart());
                    lastClocks.incrementAndGet();
                }
                if (worker.index() == 1 && clock == 5) {
                    worker.requestLeave();
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

    @Tag("slow")
    @Test
    void mistakesOfSamplingChangeNothing() {
        ClusterSettings settings =
                TestCluster.terms().workers(2).rule("mean;weighted").build();
        TestCluster.run(driver, settings, worker -> {
            assertThrows(IllegalStateException.class, () -> worker.weigh(1), "no table is declared");
            Table table = worker.table("one", 2, 2);
            LocalStepsTest.refused(
                    () -> worker.weigh(0),
                    "the weight of the pushes of worker " + worker.index() + " is 0, expected 1");
            LocalStepsTest.refused(
                    () -> LocalSteps.of(worker, 4, table).sample(0, 1), "workers sampled for each clock is 0");
            LocalStepsTest.refused(
                    () -> LocalSteps.of(worker, 4, table).delay(1).sample(1, 1), "1 steps after a push, expected 0");
            LocalSteps local = LocalSteps.of(worker, 2, table).sample(1, 7);
            LocalStepsTest.refused(() -> local.delay(1), "the workers of each clock are sampled (1)");
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
                LocalStepsTest.refused(
                        () -> LocalSteps.of(worker, 1, table).sample(1, 1), "are sampled (1) with consistency");
                assertThrows(IllegalStateException.class, () -> worker.weigh(2), "the rule is sum");
                worker.start(Initialiser.ZEROS);
                worker.drain();
            });
        }
    }
}
