package io.sluice.consistency.worker;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import io.sluice.codecs.api.ClusterSecret;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.TransportKind;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random clusters over UDP, sealed or not. Datagrams are lost, trainers and relays stall for longer than their parents
 * wait, and relays are demoted or die. Round commits hold a digest of all frames of a version in order, so each
 * surviving receiver has received what the server sent, byte for byte, on any route.
 */
@Timeout(600)
class RepairedRunTest {
    private static final ClusterSecret SECRET = ClusterSecret.of("what these nodes know".getBytes(US_ASCII));
    private static final int CLOCKS = 6;
    private static final int MOST_ROUNDS = 15;
    private static final int TERM_LENGTH = 64 << 10;
    private static final int RING = 64 << 10;
    private static final long PATIENCE_NS = TimeUnit.MILLISECONDS.toNanos(30);
    private static final String[] TREES = {"flat", "chain", "rotated:2", "shared:2", "stripes"};
    private static final double[] LOSS = {0, 0, 0.01, 0.05};

    /** A table larger than a ring and two logs, so that a stalled receiver is skipped, and a small table. */
    private static final List<Shape> SHAPES = List.of(new Shape("w", 60, 1_000), new Shape("b", 1, 9));

    private final Map<Integer, NodeClock> clocks = new ConcurrentHashMap<>();
    private final Map<Integer, List<float[]>> replicas = new ConcurrentHashMap<>();

    private static ClusterSettingsBuilder terms(SplittableRandom random, int servers, int workers) {
        return TestCluster.terms()
                .transport(TransportKind.UDP)
                .compressor("none")
                .servers(servers)
                .workers(workers)
                .sliceElements(random.nextInt(500, 2_000))
                .tree(TREES[random.nextInt(TREES.length)])
                .seal(random.nextBoolean());
    }

    private static TestDriver driver(SplittableRandom random) {
        double loss = LOSS[random.nextInt(LOSS.length)];
        return 0 == loss ? TestDriver.launch(TERM_LENGTH) : TestDriver.lossy(loss, random.nextLong(), TERM_LENGTH);
    }

    private TestCluster start(TestDriver driver, ClusterSettings settings) {
        clocks.clear();
        replicas.clear();
        return TestCluster.of(driver, settings)
                .adjust(context -> context.secret(SECRET).relayPatienceNs(PATIENCE_NS))
                .adjustWorkers(worker ->
                        worker.relayBytes(RING).clock(clocks.computeIfAbsent(worker.index(), index -> new NodeClock())))
                .serve();
    }

    /** Before a round, a worker's trainer or relay may stall, or its relay may be demoted soon. */
    private void stall(Worker worker, SplittableRandom random) {
        int what = random.nextInt(8);
        if (0 == what) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(20, 250)));
        } else if (1 == what) {
            clocks.get(worker.index()).standRelay(random.nextInt(20, 250));
        } else if (2 == what) {
            Membership membership = worker.links().membership();
            membership.workerSetChanges().askForDemotion(true, membership.state());
        }
    }

    /** Trains with stalls; returns the number of frames that servers repeated. */
    private long trainWithStalls(SplittableRandom random) throws InterruptedException {
        ClusterSettings settings =
                terms(random, random.nextInt(1, 4), random.nextInt(3, 6)).build();
        Updates updates = new Updates(random.nextLong(), SHAPES);
        long seed = random.nextLong();
        try (TestDriver driver = driver(random);
                TestCluster cluster = start(driver, settings)) {
            cluster.train(worker -> {
                SplittableRandom own = new SplittableRandom(seed + worker.index());
                Reference.train(worker, updates, CLOCKS, _ -> stall(worker, own));
            });
            cluster.awaitSuccess();
            return cluster.reports().stream()
                    .mapToLong(ServerReport::framesResent)
                    .sum();
        }
    }

    /**
     * Whether a stall is too long depends on timing: if no receiver was skipped in a few runs, the runs are repeated.
     */
    private void trainWithStalls(int runs) {
        long[] resent = {0};
        for (int round = 0; 0 == resent[0] && round < MOST_ROUNDS; round++) {
            Property.holds(runs, random -> resent[0] += trainWithStalls(random));
        }
        assertTrue(resent[0] > 0, "nothing had to be repaired");
    }

    @Test
    @Tag("slow")
    void aStalledReceiverGetsMissedFrames() {
        trainWithStalls(1);
    }

    @Tag("trial")
    @Test
    void aStalledReceiverGetsMissedFramesManyTimes() {
        trainWithStalls(60);
    }

    private void die(SplittableRandom random) {
        int workers = random.nextInt(4, 7);
        ClusterSettings settings = terms(random, random.nextInt(1, 4), workers)
                .consistency(random.nextBoolean() ? "bsp" : "ssp:1")
                .onDeath(DeathPolicy.SHRINK)
                .heartbeatMs(100)
                .livenessMs(1_500)
                .build();
        Updates updates = new Updates(random.nextLong(), SHAPES);
        int[] diesIn = new int[workers];
        int deaths = random.nextInt(1, workers - 1);
        for (int i = 0; i < deaths; i++) {
            diesIn[random.nextInt(workers)] = random.nextInt(1, CLOCKS + 1);
        }
        long seed = random.nextLong();
        try (TestDriver driver = driver(random);
                TestCluster cluster = start(driver, settings)) {
            cluster.train(worker -> {
                SplittableRandom own = new SplittableRandom(seed + worker.index());
                List<Table> tables = updates.declare(worker);
                worker.start(updates::initial);
                for (int round = 1; round <= CLOCKS; round++) {
                    stall(worker, own);
                    for (Table table : tables) {
                        if (round == diesIn[worker.index()] && own.nextBoolean()) {
                            clocks.get(worker.index()).stop();
                        }
                        table.sync();
                        table.update(updates.of(table.spec(), worker.index(), round));
                    }
                    if (round == diesIn[worker.index()]) {
                        clocks.get(worker.index()).stop();
                    }
                    worker.clock();
                }
                worker.drain();
                replicas.put(worker.index(), tables.stream().map(Updates::copy).toList());
            });
            try {
                requireSurvivors(cluster, diesIn);
            } finally {
                clocks.values().forEach(NodeClock::resume);
            }
        }
    }

    private void requireSurvivors(TestCluster cluster, int[] diesIn) {
        List<float[]> first = null;
        for (int worker = 0; worker < diesIn.length; worker++) {
            if (0 == diesIn[worker]) {
                assertNull(cluster.awaitEnd("worker " + worker), "worker " + worker);
                first = null == first ? replicas.get(worker) : first;
                for (int table = 0; table < SHAPES.size(); table++) {
                    assertArrayEquals(first.get(table), replicas.get(worker).get(table), "worker " + worker);
                }
            }
        }
        for (int server = 0; server < cluster.settings().servers(); server++) {
            assertNull(cluster.awaitEnd("server " + server), "server " + server);
        }
        assertTrue(cluster.reports().stream().allMatch(report -> CLOCKS == report.version()));
    }

    @Test
    @Tag("slow")
    void orphansAreAdopted() {
        Property.holds(1, this::die);
    }

    @Tag("trial")
    @Test
    @Timeout(1_800) // 8 s each on an idle machine
    void orphansAreAdoptedManyTimes() {
        Property.holds(60, this::die);
    }

    /** The other child, which may be three clocks ahead, receives versions that the stalled one has not taken. */
    @Test
    @Tag("slow")
    void aServerContinuesWithoutAStalledChild() {
        Property.holds(1, random -> {
            ClusterSettings settings = TestCluster.terms()
                    .transport(TransportKind.UDP)
                    .compressor("none")
                    .servers(1)
                    .workers(3)
                    .sliceElements(1_000)
                    .tree("shared:2")
                    .consistency("ssp:3")
                    .build();
            Updates updates = new Updates(random.nextLong(), SHAPES);
            try (TestDriver driver = TestDriver.launch(TERM_LENGTH);
                    TestCluster cluster = start(driver, settings)) {
                cluster.train(worker -> {
                    List<Table> tables = updates.declare(worker);
                    worker.start(updates::initial);
                    for (int round = 1; round <= CLOCKS; round++) {
                        if (0 == worker.index()
                                && 0 == round % 2) { // a single skip may occur when there are few frames to take
                            clocks.get(0).standRelay(700);
                        }
                        for (Table table : tables) {
                            table.sync();
                            table.update(updates.of(table.spec(), worker.index(), round));
                        }
                        worker.clock();
                    }
                    worker.drain();
                    replicas.put(
                            worker.index(), tables.stream().map(Updates::copy).toList());
                });
                requireSurvivors(cluster, new int[3]);
                assertTrue(
                        cluster.errors().stream()
                                .anyMatch(error -> error.getMessage()
                                        .startsWith("the receiver of link server 0 to worker 0 takes no frames")),
                        () -> "no worker was left behind: " + cluster.errors());
                assertTrue(cluster.reports().getFirst().framesResent() > 0, "nothing had to be repaired");
            }
        });
    }

    /** The middle of a chain dies after it has relayed a part of a version: its descendants get the rest. */
    @Test
    @Tag("slow")
    void aPartlyRelayedVersionIsCompleted() {
        Property.holds(1, random -> {
            ClusterSettings settings = TestCluster.terms()
                    .transport(TransportKind.UDP)
                    .servers(1)
                    .workers(4)
                    .sliceElements(1_000)
                    .tree("chain")
                    .onDeath(DeathPolicy.SHRINK)
                    .heartbeatMs(100)
                    .livenessMs(1_500)
                    .build();
            try (TestDriver driver = TestDriver.launch(TERM_LENGTH);
                    TestCluster cluster = start(driver, settings)) {
                continueWithout(1, cluster, random);
            }
        });
    }

    /** The worker that receives the copy of its host dies: the others there receive a copy each. */
    @Tag("slow")
    @Test
    void workersThatSharedACopyReceiveTheirOwn() {
        loseTheReceiverOfACopy("flat");
    }

    @Tag("trial")
    @Test
    void workersThatSharedCopiesOfStripesReceiveTheirOwn() {
        loseTheReceiverOfACopy("stripes");
    }

    private void loseTheReceiverOfACopy(String tree) {
        Property.holds(1, random -> {
            ClusterSettings settings = TestCluster.terms()
                    .compressor("none")
                    .workers(5)
                    .sliceElements(1_000)
                    .tree(tree)
                    .onDeath(DeathPolicy.SHRINK)
                    .heartbeatMs(100)
                    .livenessMs(1_500)
                    .build();
            try (TestDriver driver = TestDriver.launch(TERM_LENGTH);
                    TestDriver other = TestDriver.launch(TERM_LENGTH);
                    TestCluster cluster = start(driver, settings)) {
                cluster.adjustWorkers(worker -> {
                    if (worker.index() > 1) {
                        worker.aeronDirectory(other.directory()).channels(other.lengths());
                    }
                });
                continueWithout(2, cluster, random);
            }
        });
    }

    /** A worker dies when its push of round 3 has arrived, and the version is in flight. */
    private void continueWithout(int dead, TestCluster cluster, SplittableRandom random) {
        Updates updates = new Updates(random.nextLong(), SHAPES);
        long pauseMs = random.nextInt(5);
        cluster.train(worker -> {
            List<Table> tables = updates.declare(worker);
            worker.start(updates::initial);
            for (int round = 1; round <= CLOCKS; round++) {
                for (Table table : tables) {
                    table.sync();
                    table.update(updates.of(table.spec(), worker.index(), round));
                }
                worker.clock();
                if (3 == round && dead == worker.index()) {
                    Thread.sleep(pauseMs);
                    clocks.get(dead).stop();
                }
            }
            worker.drain();
            replicas.put(worker.index(), tables.stream().map(Updates::copy).toList());
        });
        int[] diesIn = new int[cluster.settings().workers()];
        diesIn[dead] = 3;
        try {
            requireSurvivors(cluster, diesIn);
            for (ServerReport report : cluster.reports()) {
                assertEquals(
                        List.of(dead),
                        report.losses().stream().map(ServerReport.Loss::worker).toList());
            }
        } finally {
            clocks.values().forEach(NodeClock::resume);
        }
    }
}
