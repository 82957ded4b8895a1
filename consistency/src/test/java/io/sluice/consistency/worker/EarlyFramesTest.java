package io.sluice.consistency.worker;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.codecs.Property;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.server.ServerResiduals;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.terms.ThreadingMode;
import io.sluice.consistency.terms.TransportKind;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Slices are sent before their clock ends: others see them while it is open, and at every round commit all frames have
 * arrived, once, and equal for all.
 */
@Timeout(240)
class EarlyFramesTest {
    private static final int CLOCKS = 10;
    private static final int STEPS = 6;
    private static final int BURST = 2_000;
    private static final List<Shape> SHAPES =
            List.of(new Shape("w", 13, 31), new Shape("b", 1, 1), new Shape("u", 5, 30));

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
    @Tag("slow")
    @CsvSource({
        "bsp,   magnitude,   dedicated, udp, none,      f32",
        "bsp,   relative,    invoker,   udp, dvf:30.1,  f32",
        "bsp,   random:5,    shared,    ipc, none,      f32",
        "bsp,   round-robin, dedicated, ipc, dvf:30.1,  bf16",
        "ssp:2, magnitude,   dedicated, udp, dvf:30.1,  f32-packed",
        "ssp:2, fifo,        invoker,   ipc, topk:0.3,  f16",
        "tap,   magnitude,   dedicated, ipc, density:0.1, f32",
        "tap,   round-robin, shared,    udp, none,      f32",
    })
    void atEveryRoundCommitAllFramesHaveArrivedOnce(
            String consistency, String order, String mode, String medium, String filter, String values) {
        ClusterSettings settings = TestCluster.terms()
                .protocol(Protocol.MANAGED)
                .consistency(consistency)
                .transport("ipc".equals(medium) ? TransportKind.IPC : TransportKind.UDP)
                .filter(filter)
                .values(values)
                .compressor("none")
                .order(order)
                .linkBudget("8mbit", BURST)
                .build();
        Property.holds(1, random -> {
            GridUpdates updates = new GridUpdates(random.nextLong(), SHAPES);
            List<ServerReport> reports;
            Account account;
            try (TestCluster cluster = TestCluster.start(driver, settings)) {
                cluster.adjust(context -> {
                    if (context instanceof WorkerContext worker) {
                        worker.sending(ThreadingMode.valueOf(mode.toUpperCase()));
                    }
                });
                account = new Account(cluster, updates);
                cluster.train(account::train);
                cluster.awaitSuccess();
                assertEquals(List.of(), cluster.errors());
                reports = cluster.reports();
            }
            assertEquals(CLOCKS + 1, account.clock, "round commits at which the balance was drawn");
            assertTrue(account.early.get() > 0, "workers sent early");
            assertTrue(reports.stream().mapToLong(ServerReport::framesEarly).sum() > 0, "servers sent early");
            reports.forEach(report -> assertEquals(0, report.framesRejected()));
        });
    }

    /** Trains in steps, waits for all workers after each clock, when no push is in flight, and checks the balance. */
    private static final class Account {
        final AtomicLong early = new AtomicLong();
        private final TestCluster cluster;
        private final GridUpdates updates;
        private final int workers;
        private final Table[][] tables;
        private final CyclicBarrier meeting;
        private int clock;

        Account(TestCluster cluster, GridUpdates updates) {
            this.cluster = cluster;
            this.updates = updates;
            this.workers = cluster.settings().workers();
            this.tables = new Table[workers][];
            this.meeting = new CyclicBarrier(workers, this::balance);
        }

        void train(Worker worker) throws Exception {
            int index = worker.index();
            Table[] own = updates.declare(worker).toArray(Table[]::new);
            tables[index] = own;
            worker.start(updates::initial);
            meet();
            for (int round = 1; round <= CLOCKS; round++) {
                for (int step = 0; step < STEPS; step++) {
                    for (Table table : own) {
                        table.sync();
                    }
                    for (Table table : own) {
                        give(table, updates.of(table.spec(), index, step(round, step)), step);
                    }
                    for (int pause = 0; pause < 3; pause++) { // a trainer that computes
                        LockSupport.parkNanos(300_000);
                        worker.work();
                    }
                }
                worker.clock();
                worker.drain();
                meet();
            }
            early.addAndGet(worker.stats().framesEarly());
            assertEquals(0, worker.framesRejected());
        }

        /** Most parts are accumulated; some tables end their round with an update, others leave that to the clock. */
        private static void give(Table table, float[] update, int step) {
            if (STEPS - 1 == step && table.spec().id() == 0) {
                table.update(update);
            } else {
                table.accumulate(update);
            }
        }

        private static long step(int round, int step) {
            return (long) STEPS * round + step;
        }

        private void meet() throws Exception {
            meeting.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS);
        }

        private void balance() {
            for (int t = 0; t < SHAPES.size(); t++) {
                balance(t, tables[0][t].spec());
            }
            clock++;
        }

        private void balance(int t, TableSpec spec) {
            float[] replica = Updates.copy(tables[0][t]);
            float[] kept = new float[replica.length];
            for (int server = 0; server < cluster.settings().servers(); server++) {
                ServerResiduals.addTo(kept, cluster.server(server), spec);
            }
            for (Table[] each : tables) {
                assertEquals(clock, each[t].version());
                assertArrayEquals(replica, Updates.copy(each[t]), "replicas are identical at clock " + clock);
                for (int i = 0; i < kept.length; i++) {
                    kept[i] += each[t].residual().getAtIndex(JAVA_FLOAT, i);
                }
            }
            float[] computed = computed(spec);
            for (int i = 0; i < kept.length; i++) {
                assertEquals(computed[i], replica[i] + kept[i], spec.name() + "[" + i + "] at clock " + clock);
                boolean exact = "none".equals(cluster.settings().table("").filter());
                assertTrue(!exact || 0 == kept[i], "a round commit is complete: nothing is kept back without a filter");
            }
        }

        private float[] computed(TableSpec spec) {
            float[] sum = new float[(int) spec.elements()];
            updates.initial(spec.name(), 0, sum);
            for (int round = 1; round <= clock; round++) {
                for (int step = 0; step < STEPS; step++) {
                    for (int worker = 0; worker < workers; worker++) {
                        float[] update = updates.of(spec, worker, step(round, step));
                        for (int i = 0; i < sum.length; i++) {
                            sum[i] += update[i];
                        }
                    }
                }
            }
            return sum;
        }
    }

    @Test
    void othersSeePartsWhileTheClockIsOpen() {
        ClusterSettings settings = TestCluster.terms()
                .protocol(Protocol.MANAGED)
                .workers(2)
                .order("magnitude")
                .compressor("none")
                .linkBudget("8mbit", BURST)
                .build();
        CountDownLatch seen = new CountDownLatch(1);
        try (TestCluster cluster = TestCluster.start(driver, settings)) {
            cluster.train(worker -> {
                Table table = worker.table("w", 10, 50);
                worker.start(Initialiser.ZEROS);
                float[] update = new float[500];
                update[7] = 1;
                table.sync();
                table.update(update);
                worker.clock();
                table.sync();
                if (0 == worker.index()) {
                    update[499] = 4;
                    table.accumulate(update);
                    Deadline.await("the other one sees it", () -> 0 == seen.getCount(), worker::work);
                } else {
                    Deadline.await("the part is here", () -> 4 == table.get(9, 49), table::sync);
                    assertEquals(1, table.version(), "nothing is finalised by a part");
                    seen.countDown();
                }
                worker.clock();
                worker.drain();
                assertEquals(2, table.version());
                assertEquals(4, table.get(9, 49));
                assertEquals(3, table.get(0, 7));
            });
            cluster.awaitSuccess();
        }
    }

    /** {@code work} inspects slices with increments, however many others there are. */
    @Test
    void incrementsAreSentEarlyToo() {
        ClusterSettings settings = TestCluster.terms()
                .protocol(Protocol.MANAGED)
                .workers(1)
                .sliceElements(10)
                .compressor("none")
                .linkBudget("8mbit", BURST)
                .build();
        try (TestCluster cluster = TestCluster.start(driver, settings)) {
            cluster.train(worker -> {
                Table table = worker.table("w", 1_000, 100);
                worker.start(Initialiser.ZEROS);
                worker.clock();
                table.sync();
                table.inc(999, 98, 1);
                table.inc(9, 99, 3);
                for (int calls = 0; calls < 1_000 && worker.stats().framesEarly() < 2; calls++) {
                    worker.work();
                    LockSupport.parkNanos(1_000_000); // the link may have no room yet
                }
                assertEquals(2, worker.stats().framesEarly(), "of 10,000 slices");
                Deadline.await("the early frame returns in a broadcast", () -> 3 == table.get(9, 99), () -> {
                    worker.work();
                    table.sync();
                });
                assertEquals(1, table.version());
            });
            cluster.awaitSuccess();
        }
    }

    /** With any other protocol, steps only accumulate: a clock of several steps equals a clock of their sum. */
    @ParameterizedTest
    @CsvSource({"update", "push-pull"})
    void stepsGatherUntilTheClockEnds(String protocol) {
        ClusterSettings settings = TestCluster.terms()
                .protocol("update".equals(protocol) ? Protocol.UPDATE : Protocol.PUSH_PULL)
                .build();
        GridUpdates updates = new GridUpdates(3, SHAPES);
        List<ServerReport> reports = TestCluster.run(driver, settings, worker -> {
            List<Table> tables = updates.declare(worker);
            worker.start(Initialiser.ZEROS);
            for (Table table : tables) {
                table.sync();
                for (int step = 0; step < STEPS; step++) {
                    table.accumulate(updates.of(table.spec(), worker.index(), step));
                    worker.work();
                }
                assertEquals(0, worker.stats().framesEarly());
            }
            worker.clock();
            for (Table table : tables) {
                float[] sum = new float[(int) table.spec().elements()];
                for (int each = 0; each < worker.workers(); each++) {
                    for (int step = 0; step < STEPS; step++) {
                        float[] update = updates.of(table.spec(), each, step);
                        for (int i = 0; i < sum.length; i++) {
                            sum[i] += update[i];
                        }
                    }
                }
                worker.drain();
                table.sync();
                assertArrayEquals(sum, Updates.copy(table));
            }
        });
        assertEquals(0, reports.stream().mapToLong(ServerReport::framesEarly).sum());
    }
}
