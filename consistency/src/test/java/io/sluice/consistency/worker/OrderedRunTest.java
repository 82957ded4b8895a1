package io.sluice.consistency.worker;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.codecs.Drawn;
import io.sluice.codecs.Frame;
import io.sluice.codecs.Property;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.server.ServerResiduals;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.ThreadingMode;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.messaging.Channels;
import io.sluice.messaging.Settings;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.NanoClock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * With any order and sending thread, BSP equals a single process bit for bit. Under SSP and TAP all updates are in the
 * replicas and the residuals, exactly, although waiting frames were merged.
 */
@Timeout(240)
class OrderedRunTest {
    private static final int CLOCKS = 8;
    private static final List<Shape> SHAPES =
            List.of(new Shape("bias", 1, 1), new Shape("w", 13, 31), new Shape("u", 5, 3));

    private static TestDriver driver;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    private static TransportKind transport(String medium) {
        return "ipc".equals(medium) ? TransportKind.IPC : TransportKind.UDP;
    }

    @Drawn
    @ParameterizedTest
    @CsvSource({
        "'layer',           dedicated, 2,  ipc, none,   update",
        "'layer',           shared,    32, udp, none,   update",
        "'layer,magnitude', invoker,   2,  ipc, none,   update",
        "'magnitude',       dedicated, 32, ipc, none,   update",
        "'relative',        dedicated, 3,  udp, none,   update",
        "'round-robin',     invoker,   32, udp, none,   update",
        "'random:7',        dedicated, 32, ipc, none,   update",
        "'random:7',        shared,    2,  ipc, none,   update",
        "'fifo',            dedicated, 2,  ipc, none,   update",
        "'fifo',            dedicated, 2,  udp, 10mbit, update",
        "'magnitude',       invoker,   4,  ipc, 10mbit, update",
        "'layer',           dedicated, 4,  ipc, 10mbit, push-pull",
        "'random',          invoker,   2,  udp, none,   push-pull",
    })
    void bulkSynchronousReplicasAreTheReference(
            String order, String mode, int frames, String medium, String rate, String protocol) {
        ClusterSettings settings = TestCluster.terms()
                .transport(transport(medium))
                .protocol(Settings.constant("protocol", protocol, Protocol.class))
                .compressor("none")
                .order(order)
                .linkBudget(rate, 2_000)
                .nodeBudget(rate, 2_000)
                .build();
        Property.holds(1, random -> {
            Updates updates = new Updates(random.nextLong(), SHAPES);
            try (TestCluster cluster = TestCluster.start(driver, settings)) {
                cluster.adjustWorkers(worker -> worker.sending(ThreadingMode.valueOf(mode.toUpperCase()))
                        .outboxFrames(frames));
                cluster.train(worker -> {
                    assertEquals(settings, worker.settings(), "what the welcome said");
                    runAgainstReference(worker, updates);
                });
                cluster.awaitSuccess();
                assertEquals(List.of(), cluster.errors());
            }
        });
    }

    private static void runAgainstReference(Worker worker, Updates updates) {
        List<Table> tables = updates.declare(worker);
        worker.start(updates::initial);
        Reference reference = new Reference(updates, worker.workers());
        for (long round = 1; round <= CLOCKS; round++) {
            for (Table table : tables) {
                table.sync();
                reference.requireSame(table, round - 1);
            }
            for (Table table : tables.reversed()) { // as back-propagation does
                table.update(updates.of(table.spec(), worker.index(), round));
            }
            worker.clock();
            reference.apply(round);
        }
        worker.drain();
        for (Table table : tables) {
            reference.requireSame(table, CLOCKS);
        }
        assertEquals(0, worker.framesRejected());
        assertEquals(0, worker.stats().framesTakenBack(), "BSP never merges");
    }

    /** A budget that is used up for two rounds admits one frame: later updates are merged with waiting frames. */
    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @CsvSource({
        "tap,   magnitude, dedicated, none,       f32",
        "tap,   layer,     dedicated, dvf:30.1,   f32",
        "tap,   fifo,      invoker,   dvf:30.1,   f32-packed",
        "ssp:4, random:3,  dedicated, dvf:30.1,   f32",
        "ssp:4, magnitude, shared,    none,       f32",
        "tap,   relative,  dedicated, dvf:30.1,   bf16",
        "tap,   magnitude, dedicated, topk:0.3,   f16",
    })
    void mergedFramesLoseNothing(String consistency, String order, String mode, String filter, String values) {
        ClusterSettings settings = TestCluster.terms()
                .consistency(consistency)
                .filter(filter)
                .values(values)
                .compressor("none")
                .order(order)
                .linkBudget("2mbit", Channels.lengthInLog(longestFrame(), 1_408))
                .build();
        Property.holds(1, random -> {
            GridUpdates updates = new GridUpdates(random.nextLong(), SHAPES);
            try (TestCluster cluster = TestCluster.start(driver, settings)) {
                // An invoker's clock waits until all frames are sent: time must not stop, and no frame is left to merge
                // with.
                boolean holds = !"invoker".equals(mode);
                Account account = new Account(cluster, updates, holds);
                cluster.adjustWorkers(worker -> worker.sending(ThreadingMode.valueOf(mode.toUpperCase()))
                        .clock(account.newClock()));
                cluster.train(account::train);
                cluster.awaitSuccess();
                assertEquals(List.of(), cluster.errors());
                assertEquals(holds ? settings.workers() : 0, account.mergers.get(), "workers that took frames back");
            }
        });
    }

    /** The sum of two gradients makes another step than one after the other, and another version is its basis. */
    @ParameterizedTest
    @CsvSource({"sum, true", "adagrad:0.1, false", "adarevision:0.1, false"})
    void framesAreMergedOnlyIfServersAddThemUp(String rule, boolean merges) {
        ClusterSettings settings = TestCluster.terms()
                .consistency("ssp:9")
                .rule(rule)
                .compressor("none")
                .order("magnitude")
                .linkBudget("1mbit", Channels.lengthInLog(longestFrame() + Long.BYTES, 1_408))
                .build();
        Updates updates = new Updates(1, SHAPES);
        AtomicLong merged = new AtomicLong();
        TestCluster.run(driver, settings, worker -> {
            List<Table> tables = updates.declare(worker);
            worker.start(updates::initial);
            for (long round = 1; round <= CLOCKS; round++) {
                for (Table table : tables) {
                    table.sync();
                    table.update(updates.of(table.spec(), worker.index(), round));
                }
                worker.clock();
            }
            worker.drain();
            merged.addAndGet(worker.stats().framesTakenBack());
        });
        assertEquals(merges, merged.get() > 0, merged + " frames are merged");
    }

    private static int longestFrame() {
        return Frame.DATA_LENGTH + Float.BYTES * TestCluster.terms().build().sliceElements();
    }

    /** A worker's time, which the worker's trainer can stop. */
    private static final class StandingClock implements NanoClock {
        private volatile long stalledAtNs;

        void stall() {
            stalledAtNs = System.nanoTime();
        }

        void resume() {
            stalledAtNs = 0;
        }

        @Override
        public long nanoTime() {
            long at = stalledAtNs;
            return 0 == at ? System.nanoTime() : at;
        }
    }

    /** Runs without meeting, then checks the balance when no frame is in flight. */
    private static final class Account {
        final AtomicInteger mergers = new AtomicInteger();
        private final boolean holds;
        private final ThreadLocal<StandingClock> clock = ThreadLocal.withInitial(StandingClock::new);
        private final TestCluster cluster;
        private final GridUpdates updates;
        private final CyclicBarrier meeting;
        private final Map<Integer, List<Table>> tables = new ConcurrentHashMap<>();

        Account(TestCluster cluster, GridUpdates updates, boolean holds) {
            this.holds = holds;
            this.cluster = cluster;
            this.updates = updates;
            this.meeting = new CyclicBarrier(cluster.settings().workers(), this::balance);
        }

        /** Called on the trainer's thread, as {@link #train} is. */
        NanoClock newClock() {
            return clock.get();
        }

        void train(Worker worker) throws Exception {
            List<Table> own = updates.declare(worker);
            tables.put(worker.index(), own);
            worker.start(updates::initial);
            if (holds) {
                clock.get().stall(); // for as many rounds as there are slots for round commits
            }
            for (long round = 1; round <= 4 * CLOCKS; round++) {
                if (3 == round) {
                    mergers.addAndGet(worker.stats().framesTakenBack() > 0 ? 1 : 0);
                    clock.get().resume();
                }
                for (Table table : own) {
                    table.sync();
                }
                for (Table table : own) {
                    table.update(updates.of(table.spec(), worker.index(), round));
                }
                worker.clock();
            }
            worker.drain();
            assertEquals(0, worker.framesRejected());
            meeting.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS);
        }

        private void balance() {
            for (int t = 0; t < SHAPES.size(); t++) {
                balance(t);
            }
        }

        private void balance(int t) {
            Table first = tables.get(0).get(t);
            float[] replica = Updates.copy(first);
            float[] kept = new float[replica.length];
            for (int server = 0; server < cluster.settings().servers(); server++) {
                ServerResiduals.addTo(kept, cluster.server(server), first.spec());
            }
            for (List<Table> each : tables.values()) {
                Table table = each.get(t);
                assertEquals(4 * CLOCKS, table.version());
                assertArrayEquals(replica, Updates.copy(table), "replicas are identical");
                for (int i = 0; i < kept.length; i++) {
                    kept[i] += table.residual().getAtIndex(JAVA_FLOAT, i);
                }
            }
            float[] computed = computed(first);
            for (int i = 0; i < kept.length; i++) {
                assertEquals(computed[i], replica[i] + kept[i], first.spec().name() + "[" + i + "]");
            }
        }

        private float[] computed(Table table) {
            float[] sum = new float[(int) table.spec().elements()];
            updates.initial(table.spec().name(), 0, sum);
            for (long round = 1; round <= 4 * CLOCKS; round++) {
                for (int worker = 0; worker < tables.size(); worker++) {
                    float[] update = updates.of(table.spec(), worker, round);
                    for (int i = 0; i < sum.length; i++) {
                        sum[i] += update[i];
                    }
                }
            }
            return sum;
        }
    }
}
