package io.sluice.consistency.worker;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.codecs.Property;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.standard.Multicast;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.ThreadingMode;
import io.sluice.consistency.terms.TransportKind;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Workers that send each other their vectors, not always to all, have the replicas of a plain program with the same
 * schedule, bit for bit.
 */
@Timeout(240)
class PeerRunTest {
    static final int ROWS = 7;
    static final int COLUMNS = 23;
    static final int GROUPS = 3;

    private static final int CLOCKS = 20;

    private static TestDriver driver;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    /** The vectors of one worker's clock, which are whole numbers if sums must not depend on their order. */
    record Batch(float[][] u, float[][] v) {
        static Batch of(long seed, int worker, long clock, boolean whole) {
            SplittableRandom random = new SplittableRandom(seed + worker * 1_000_003L + clock * 7_919L);
            int groups = random.nextInt(GROUPS + 1);
            Batch batch = new Batch(new float[groups][ROWS], new float[groups][COLUMNS]);
            for (int group = 0; group < groups; group++) {
                fill(batch.u[group], random, whole);
                fill(batch.v[group], random, whole);
            }
            return batch;
        }

        private static void fill(float[] vector, SplittableRandom random, boolean whole) {
            for (int i = 0; i < vector.length; i++) {
                vector[i] = whole ? random.nextInt(-3, 4) : (float) random.nextGaussian();
            }
        }

        void addTo(FactorTable table) {
            for (int group = 0; group < u.length; group++) {
                table.add(u[group], v[group]);
            }
        }

        void addTo(float[] matrix, float scale) {
            for (int group = 0; group < u.length; group++) {
                for (int row = 0; row < ROWS; row++) {
                    float left = u[group][row] * scale;
                    for (int column = 0; column < COLUMNS; column++) {
                        matrix[row * COLUMNS + column] += left * v[group][column];
                    }
                }
            }
        }
    }

    /** The replicas by worker after some clocks, in a plain program. */
    static float[][] expected(long seed, int workers, Multicast multicast, int slice, long clocks) {
        float[][] replicas = new float[workers][ROWS * COLUMNS];
        boolean[][] chosen = new boolean[workers][workers];
        for (long clock = 1; clock <= clocks; clock++) {
            float[][] before = new float[workers][];
            for (int worker = 0; worker < workers; worker++) {
                before[worker] = replicas[worker].clone();
                multicast.choose(worker, clock, "w".hashCode(), chosen[worker], new int[workers]);
            }
            for (int worker = 0; worker < workers; worker++) {
                if (multicast.rotates(clock)) {
                    replicas[worker] = before[(worker + workers - 1) % workers].clone();
                }
                if (multicast.sync() > 0) {
                    average(replicas[worker], before, multicast, slice, clock);
                }
                for (int from = 0; from < workers; from++) {
                    Batch batch = Batch.of(seed, from, clock, false);
                    if (from == worker) {
                        batch.addTo(replicas[worker], 1);
                    } else if (chosen[from][worker]) {
                        batch.addTo(replicas[worker], multicast.scale());
                    }
                }
            }
        }
        return replicas;
    }

    private static void average(float[] replica, float[][] before, Multicast multicast, int slice, long clock) {
        int slices = (replica.length + slice - 1) / slice;
        int end = Math.min(replica.length, multicast.endAveraged(clock, slices) * slice);
        for (int i = multicast.firstAveraged(clock, slices) * slice; i < end; i++) {
            float sum = 0;
            for (float[] each : before) {
                sum += each[i] / before.length;
            }
            replica[i] = sum;
        }
    }

    static float[] copy(FactorTable table) {
        return table.view().segment().toArray(JAVA_FLOAT);
    }

    @Test
    void replicasHaveTheBitsOfAPlainProgram() {
        requireBitsOfAPlainProgram("random:2;sync=7;rotate=4;unscaled", TransportKind.UDP);
    }

    @Tag("slow")
    @Drawn
    @ParameterizedTest
    @CsvSource({
        "random:1;sync=5,                    IPC",
        "fixed:2;sync=4;at-once;rotate=3,    IPC",
        "round-robin:1;sync=9;rotate=2,      UDP",
        "all;broken=30;sync=6,               IPC",
        "random:3,                           UDP",
    })
    void replicasHaveTheBitsOfAPlainProgramWithOtherMulticasts(String text, TransportKind medium) {
        requireBitsOfAPlainProgram(text, medium);
    }

    private static void requireBitsOfAPlainProgram(String text, TransportKind medium) {
        Property.holds(1, random -> {
            int workers = 4;
            int slice = random.nextInt(1, 100);
            long seed = random.nextLong();
            Multicast multicast = Multicast.named(text).among(workers);
            ClusterSettings settings = TestCluster.terms(Protocol.PEER)
                    .workers(workers)
                    .transport(medium)
                    .sliceElements(slice)
                    .build();
            ThreadingMode sending = random.nextBoolean() ? ThreadingMode.DEDICATED : ThreadingMode.INVOKER;
            try (TestCluster cluster = TestCluster.start(driver, settings)) {
                cluster.adjustWorkers(context -> context.sending(sending));
                cluster.train(worker -> {
                    FactorTable table = worker.factors("w", ROWS, COLUMNS, GROUPS, "all", text);
                    worker.start(Initialiser.ZEROS);
                    for (long clock = 1; clock <= CLOCKS; clock++) {
                        table.sync();
                        float[][] expected = expected(seed, workers, multicast, slice, clock - 1);
                        assertArrayEquals(expected[worker.index()], copy(table), "before clock " + clock);
                        Batch.of(seed, worker.index(), clock, false).addTo(table);
                        worker.clock();
                    }
                    worker.drain();
                    assertArrayEquals(
                            expected(seed, workers, multicast, slice, CLOCKS)[worker.index()], copy(table), "drained");
                    assertTrue(worker.bytesToPeers() > 0, "workers send to each other");
                });
                cluster.awaitSuccess();
            }
        });
    }

    /** After as many clocks without vectors as they wait at most, all replicas have all of them. */
    @Tag("slow")
    @Drawn
    @ParameterizedTest
    @CsvSource({
        "random:1;lossless, bsp",
        "round-robin:2;lossless, bsp",
        "fixed:1;lossless, bsp",
        "random:2;lossless, ssp:2"
    })
    void losesNothing(String text, String consistency) {
        Property.holds(1, random -> {
            int workers = 5;
            long seed = random.nextLong();
            int depth = Multicast.named(text).among(workers).depth();
            ClusterSettings settings = TestCluster.terms(Protocol.PEER)
                    .workers(workers)
                    .consistency(consistency)
                    .build();
            float[] expected = new float[ROWS * COLUMNS];
            for (int worker = 0; worker < workers; worker++) {
                for (long clock = 1; clock <= CLOCKS; clock++) {
                    Batch.of(seed, worker, clock, true).addTo(expected, 1);
                }
            }
            Map<Integer, Long> differences = new ConcurrentHashMap<>();
            TestCluster.run(driver, settings, worker -> {
                FactorTable table = worker.factors("w", ROWS, COLUMNS, GROUPS, "all", text);
                worker.start(Initialiser.ZEROS);
                for (long clock = 1; clock <= CLOCKS + depth; clock++) {
                    table.sync();
                    if (clock <= CLOCKS) {
                        Batch.of(seed, worker.index(), clock, true).addTo(table);
                    }
                    worker.clock();
                }
                worker.drain();
                assertArrayEquals(expected, copy(table));
                differences.put(worker.index(), worker.bytesToPeers());
            });
            assertEquals(workers, differences.size());
        });
    }

    /** Frames do not carry -0, so a worker's own vectors do not either. */
    @Tag("slow")
    @Test
    void replicasAgreeOnTheSignOfZero() {
        Map<Integer, Integer> bits = new ConcurrentHashMap<>();
        TestCluster.run(driver, TestCluster.terms(Protocol.PEER).workers(2).build(), worker -> {
            FactorTable table = worker.factors("w", 2, 1, 1, "all");
            worker.start((_, _, values) -> Arrays.fill(values, -0f));
            table.sync();
            if (0 == worker.index()) {
                table.add(new float[] {-0f, 1}, new float[] {1});
            }
            worker.clock();
            worker.drain();
            bits.put(worker.index(), Float.floatToRawIntBits(table.view().get(0)));
        });
        assertEquals(bits.get(0), bits.get(1));
    }

    /** Servers send each worker the vectors of all, peers those of the others. */
    @Tag("slow")
    @Test
    void countsTheBytesOfVectorsThatAreSent() {
        Map<Protocol, Long> bytes = new ConcurrentHashMap<>();
        for (Protocol protocol : List.of(Protocol.UPDATE, Protocol.PEER)) {
            TestCluster.run(driver, TestCluster.terms(protocol).workers(4).build(), worker -> {
                FactorTable table = worker.factors("w", ROWS, COLUMNS, 1, "all");
                worker.start(Initialiser.ZEROS);
                table.sync();
                table.add(filled(ROWS), filled(COLUMNS));
                worker.clock();
                worker.drain();
                assertTrue(table.vectorBytes() > 0);
                bytes.put(protocol, table.vectorBytes());
            });
        }
        assertEquals(bytes.get(Protocol.UPDATE) * 3 / 4, bytes.get(Protocol.PEER));
    }

    private static float[] filled(int length) {
        float[] ones = new float[length];
        Arrays.fill(ones, 1);
        return ones;
    }

    /** A selection sends a part of the batch, and this worker's replica has all of it. */
    @Tag("slow")
    @Test
    void theOwnReplicaHasTheWholeBatch() {
        ClusterSettings settings = TestCluster.terms(Protocol.PEER).workers(3).build();
        TestCluster.run(driver, settings, worker -> {
            FactorTable table = worker.factors("w", 2, 4, 4, "joint:1", "fixed:1;sync=50;unscaled");
            worker.start(Initialiser.ZEROS);
            table.sync();
            for (int group = 0; group < 4; group++) {
                float[] v = new float[4];
                v[group] = 1 + worker.index();
                table.add(new float[] {1, 0}, v);
            }
            worker.clock();
            worker.drain();
            float own = 1 + worker.index();
            float other = 1 + (worker.index() + 2) % 3; // sends to the next worker
            float[] all = copy(table);
            int more = 0;
            for (int column = 0; column < 4; column++) {
                assertTrue(all[column] == own || all[column] == own + other, "column " + column + ": " + all[column]);
                more += all[column] == own ? 0 : 1;
            }
            assertEquals(1, more, "one group of the other worker");
        });
    }

    /** Blocks that are far longer than what a link takes at once do not make workers wait for each other for ever. */
    @Tag("slow")
    @Test
    void longBlocksBetweenAllPairsDoNotBlock() {
        for (TransportKind transport : TransportKind.values()) {
            ClusterSettings terms = TestCluster.terms(Protocol.PEER)
                    .workers(3)
                    .servers(1)
                    .transport(transport)
                    .sliceElements(4_000)
                    .build();
            List<ServerReport> reports = TestCluster.run(driver, terms, worker -> {
                FactorTable table = worker.factors("w", 1, 1 << 18, 4, "all");
                worker.start(Initialiser.ZEROS);
                float[] v = new float[1 << 18];
                for (int clock = 1; clock <= 3; clock++) {
                    table.sync();
                    for (int group = 0; group < 4; group++) {
                        Arrays.fill(v, 1);
                        table.add(new float[] {1}, v);
                    }
                    worker.clock();
                }
                worker.drain();
                assertEquals(3 * 3 * 4, table.view().get(12_345));
                assertTrue(worker.bytesToPeers() > 3L * 2 * 4 * (4 << 18), "bytes " + worker.bytesToPeers());
            });
            assertEquals(0, reports.getFirst().framesBroadcast(), "the server holds nothing");
        }
    }

    @Test
    void theDeathOfAPeerEndsTheJobWithItsName() {
        try (TestCluster cluster =
                TestCluster.start(driver, TestCluster.terms(Protocol.PEER).build())) {
            cluster.train(worker -> {
                FactorTable table = worker.factors("w", ROWS, COLUMNS, GROUPS, "all", "random:1;sync=5");
                worker.start(Initialiser.ZEROS);
                for (long clock = 1; clock <= CLOCKS; clock++) {
                    table.sync();
                    if (2 == worker.index() && 7 == clock) {
                        throw new IllegalStateException("given up");
                    }
                    worker.clock();
                }
                worker.drain();
            });
            ClusterException failure = cluster.awaitFailure("worker 0");
            assertEquals(Failure.PEER_FAILED, failure.failure());
            assertTrue(failure.getMessage().contains("worker 2"), failure.getMessage());
        }
    }

    /** In clock 3 a worker also sends a slice with its vectors of another clock, or one that it sends again. */
    @Tag("slow")
    @ParameterizedTest
    @CsvSource({"2", "3"})
    void aSliceThatIsNotDueEndsTheJobWithTheNameOfItsSender(long of) {
        try (TestCluster cluster =
                TestCluster.start(driver, TestCluster.terms(Protocol.PEER).build())) {
            cluster.train(worker -> {
                FactorTable table = worker.factors("w", 1, 1, 1, "all");
                worker.start(Initialiser.ZEROS);
                for (long clock = 1; clock <= 4; clock++) {
                    table.sync();
                    TablePush push = table.left().push();
                    if (2 == worker.index() && 3 == clock) {
                        push.pushSlice(push.firstSlice(of), null, clock);
                    }
                    table.add(new float[] {1}, new float[] {1});
                    worker.clock();
                }
                worker.drain();
            });
            ClusterException failure = cluster.awaitAnyFailure();
            assertEquals(Failure.PROTOCOL_BREACH, failure.failure());
            String what = "worker 2, table w/u, sent slice " + (4 + of % 2)
                    + " in clock 3, expected each slice at most once, with vectors of clock 3 or later";
            assertTrue(failure.getMessage().contains(what), failure.getMessage());
        }
    }

    @Tag("slow")
    @Test
    void refusesWhatPeersCannotDo() {
        IllegalArgumentException shrink = assertThrows(
                IllegalArgumentException.class,
                () -> TestCluster.terms(Protocol.PEER)
                        .onDeath(DeathPolicy.SHRINK)
                        .build());
        assertTrue(
                shrink.getMessage().startsWith("on death is shrink, expected fail with protocol peer"),
                shrink.getMessage());
        IllegalArgumentException elastic = assertThrows(
                IllegalArgumentException.class,
                () -> TestCluster.terms(Protocol.PEER).places(5).build());
        assertEquals("protocol is peer, expected update in an elastic job", elastic.getMessage());
        refused(TestCluster.terms().build(), "random:1;sync=5", "the multicast random:1;sync=5, expected all with the");
        refused(
                TestCluster.terms(Protocol.PEER).consistency("ssp:1").build(),
                "random:1;sync=5",
                "and the consistency ssp:1, expected bsp with the option sync");
        refused(
                TestCluster.terms(Protocol.PEER).filter("dvf:1").build(),
                "random:1;sync=5",
                "expected the filters none, the rule sum and the values f32 for table w/mean");
    }

    private static void refused(ClusterSettings settings, String multicast, String reason) {
        try (TestCluster cluster = TestCluster.start(driver, settings)) {
            cluster.train(worker -> {
                IllegalArgumentException refusal = assertThrows(
                        IllegalArgumentException.class, () -> worker.factors("w", 3, 4, 1, "all", multicast));
                assertTrue(refusal.getMessage().contains(reason), refusal.getMessage());
                worker.leave();
            });
            cluster.awaitEnd("worker 0");
        }
    }

    @Tag("slow")
    @Test
    void workersWithAnotherMulticastAreRefused() {
        try (TestCluster cluster =
                TestCluster.start(driver, TestCluster.terms(Protocol.PEER).build())) {
            cluster.train(worker -> {
                String multicast = "random:1;sync=5;seed=" + worker.index();
                FactorTable table = worker.factors("w", 3, 4, 1, "all", multicast);
                worker.start(Initialiser.ZEROS);
                table.sync();
            });
            ClusterException failure = cluster.awaitAnyFailure();
            assertTrue(failure.getMessage().contains("unlike another worker"), failure + "");
        }
    }
}
