package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.codecs.Property;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TransportKind;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** With workers of any speed, no worker computes on parameters older than the rule allows, and replicas stay equal. */
@Timeout(240)
class StalenessTest {
    private static final int CLOCKS = 40;
    private static final List<Shape> SHAPES = List.of(new Shape("w", 30, 20), new Shape("b", 1, 10));

    private static TestDriver driver;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    @Drawn
    @ParameterizedTest
    @CsvSource({
        "bsp,   0, ipc, none",
        "bsp,   0, udp, dvf",
        "ssp:1, 1, ipc, none",
        "ssp:1, 1, udp, dvf",
        "ssp:3, 3, ipc, dvf",
        "ssp:3, 3, udp, none",
        "'dssp:1,4', 4, ipc, none",
        "'dssp:0,2', 2, udp, dvf",
        "'drift:0.5,7', 0, ipc, dvf",
        "tap,   40, ipc, none",
        "tap,   40, udp, dvf"
    })
    void replicasAreIdenticalAtEveryVersion(String consistency, int bound, String medium, String filter) {
        ClusterSettings settings = TestCluster.terms()
                .consistency(consistency)
                .transport("ipc".equals(medium) ? TransportKind.IPC : TransportKind.UDP)
                .filter("dvf".equals(filter) ? "dvf:20" : filter)
                .build();
        Property.holds(1, random -> {
            Updates updates = new GridUpdates(random.nextLong(), SHAPES);
            Race race = new Race(updates, bound, random.nextLong(), settings.workers());
            TestCluster.run(driver, settings, race::run);
            race.requireEnd("none".equals(settings.table("").filter()));
        });
    }

    private static final class Race {
        private final Updates updates;
        private final int bound;
        private final long seed;
        private final AtomicLongArray begun;
        private final Map<String, float[]> seen = new ConcurrentHashMap<>();
        private final AtomicLong compared = new AtomicLong();

        Race(Updates updates, int bound, long seed, int workers) {
            this.updates = updates;
            this.bound = bound;
            this.seed = seed;
            this.begun = new AtomicLongArray(workers);
        }

        void run(Worker worker) {
            SplittableRandom random = new SplittableRandom(seed + worker.index());
            List<Table> tables = updates.declare(worker);
            worker.start(updates::initial);
            for (long round = 1; round <= CLOCKS; round++) {
                for (Table table : tables) {
                    table.sync();
                    checkStaleness(worker, table);
                    compare(table);
                }
                dawdle(random);
                begun.set(worker.index(), round);
                for (Table table : tables) {
                    table.update(updates.of(table.spec(), worker.index(), round));
                }
                assertEquals(round, worker.clock());
            }
            worker.drain();
            for (Table table : tables) {
                assertEquals(CLOCKS, table.version(), "final version");
                compare(table);
            }
            assertTrue(worker.stats().maxStaleness() <= bound);
            assertEquals(0, worker.framesRejected());
        }

        private void checkStaleness(Worker worker, Table table) {
            long clock = worker.completed();
            assertTrue(clock - table.version() <= bound, () -> "at clock " + clock + " on version " + table.version());
            for (int other = 0; other < begun.length(); other++) {
                assertTrue(begun.get(other) >= clock - bound, "no version before all workers have pushed their part");
            }
        }

        /** Compares the replica while it is at one version: no slice of the next has been applied yet. */
        private void compare(Table table) {
            long version = table.version();
            for (int server = 0; server < 2; server++) {
                if (table.intake().owns(server)
                        && (table.intake().ledger(server).round() != version + 1
                                || table.intake().ledger(server).frames() > 0)) {
                    return;
                }
            }
            float[] mine = table.replica().toArray(ValueLayout.JAVA_FLOAT);
            float[] others = seen.putIfAbsent(table.spec().name() + " at version " + version, mine);
            if (null != others) {
                compared.incrementAndGet();
                assertArrayEquals(others, mine, () -> table.spec().name() + " at version " + version);
            }
        }

        private static void dawdle(SplittableRandom random) {
            if (random.nextInt(3) == 0) {
                LockSupport.parkNanos(random.nextLong(2_000_000));
            }
        }

        void requireEnd(boolean exact) {
            assertTrue(compared.get() >= 2 * SHAPES.size(), "all replicas were compared at the end at least");
            for (Shape shape : SHAPES) {
                float[] last = seen.get(shape.name() + " at version " + CLOCKS);
                if (exact) {
                    assertArrayEquals(sum(shape), last, "nothing is missing at the end");
                }
            }
        }

        private float[] sum(Shape shape) {
            float[] sum = new float[shape.rows() * shape.columns()];
            updates.initial(shape.name(), 0, sum);
            for (long round = 1; round <= CLOCKS; round++) {
                for (int worker = 0; worker < begun.length(); worker++) {
                    float[] update = updates.of(shape.spec(SHAPES.indexOf(shape), 64), worker, round);
                    for (int i = 0; i < sum.length; i++) {
                        sum[i] += update[i];
                    }
                }
            }
            return sum;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void aFastWorkerRunsExactlySAhead(int staleness) {
        ClusterSettings settings =
                TestCluster.terms().workers(2).consistency("ssp:" + staleness).build();
        AtomicLong fast = new AtomicLong();
        AtomicLong slow = new AtomicLong();
        int slowRounds = 6;
        TestCluster.run(driver, settings, worker -> {
            Table table = worker.table("w", 5, 5);
            worker.start(Initialiser.ZEROS);
            float[] update = new float[25];
            update[3] = 1;
            if (0 == worker.index()) {
                for (int i = 0; i < slowRounds + staleness; i++) {
                    table.sync();
                    assertTrue(worker.completed() - slow.get() <= staleness, "more than s ahead of the slow worker");
                    table.update(update);
                    fast.set(worker.clock());
                }
                return; // leaves while it is ahead: no node needs more of it
            }
            for (long round = 1; round <= slowRounds; round++) {
                long goal = Math.min(slowRounds + staleness, round + staleness);
                Deadline.await("the fast worker runs s ahead", () -> fast.get() == goal);
                slow.set(round);
                table.sync();
                table.update(update);
                worker.clock();
            }
            worker.drain();
            assertEquals(slowRounds, table.version());
        });
        assertEquals(slowRounds + staleness, fast.get());
    }

    @Test
    void tapNeverWaits() {
        ClusterSettings settings =
                TestCluster.terms().workers(2).consistency("tap").build();
        AtomicLong fast = new AtomicLong();
        TestCluster.run(driver, settings, worker -> {
            Table table = worker.table("w", 5, 5);
            worker.start(Initialiser.ZEROS);
            if (1 == worker.index()) {
                Deadline.await("the other worker is done", () -> fast.get() == 200);
            }
            float[] update = new float[25];
            for (int i = 0; i < 200; i++) {
                update[7] = i;
                table.sync();
                table.update(update);
                worker.clock();
                if (0 == worker.index()) {
                    fast.set(worker.completed());
                }
            }
            worker.drain();
            assertEquals(200, table.version());
            assertEquals(2 * 199 * 100, table.get(1, 2));
        });
    }
}
