package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.codecs.Property;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.tree.planning.TopologyText;
import io.sluice.tree.topology.Topology;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** With any tree, BSP equals a single process bit for bit. */
@Timeout(240)
class RelayedRunTest {
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

    private static ClusterSettingsBuilder udp(String tree) {
        return TestCluster.terms()
                .transport(TransportKind.UDP)
                .compressor("none")
                .tree(tree);
    }

    @Test
    void everyReplicaIsTheReference() {
        requireReference("rotated:2");
    }

    @Tag("slow")
    @Drawn
    @ParameterizedTest
    @ValueSource(strings = {"chain", "shared:2", "p3:2,3", "stripes"})
    void everyReplicaIsTheReferenceInOtherTrees(String tree) {
        requireReference(tree);
    }

    private static void requireReference(String tree) {
        ClusterSettings settings = udp(tree).servers(3).workers(5).build();
        Property.holds(1, random -> {
            Updates updates = new Updates(random.nextLong(), SHAPES);
            Map<Integer, Long> relayed = run(driver, settings, updates);
            assertTrue(relayed.values().stream().anyMatch(bytes -> bytes > 0), () -> "no worker relays: " + relayed);
        });
    }

    /** Relays wait for budgets and for pushes that share them; the frames stay the same. */
    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @CsvSource({
        "chain,     fifo,            10mbit, none",
        "chain,     fifo,            none,   20mbit",
        "rotated:2, 'layer,magnitude', 20mbit, 30mbit",
        "shared:2,  layer,           none,   20mbit",
        "stripes,   'layer,magnitude', 20mbit, 30mbit"
    })
    void budgetsChangeNoBit(String tree, String order, String perLink, String together) {
        ClusterSettings settings = udp(tree)
                .servers(2)
                .workers(4)
                .order(order)
                .linkBudget(perLink, 1_000)
                .nodeBudget(together, 1_000)
                .build();
        Property.holds(1, random -> {
            Map<Integer, Long> relayed = run(driver, settings, new Updates(random.nextLong(), SHAPES));
            assertTrue(relayed.values().stream().anyMatch(bytes -> bytes > 0), () -> "no worker relays: " + relayed);
        });
    }

    /** All nodes are on one host of the described network; over UDP each is a site of its own. */
    @Test
    void plansOverADescribedNetwork() {
        Topology network = TopologyText.parse("t 5.0E-5;a - -;e 1000000 -;h 125000000 125000000 127.0.0.1 other[1-9]");
        ClusterSettings settings =
                udp("rotated:2").servers(2).workers(4).topology(network).build();
        Property.holds(1, random -> {
            Map<Integer, Long> relayed = run(driver, settings, new Updates(random.nextLong(), SHAPES));
            assertTrue(relayed.values().stream().anyMatch(bytes -> bytes > 0), () -> "no worker relays: " + relayed);
        });
    }

    @Test
    void aNodeOutsideTheDescribedNetworkIsRefused() {
        Topology network = TopologyText.parse("t 5.0E-5;a - -;e - -;h 125000000 125000000 nowhere");
        ClusterSettings settings = udp("chain").topology(network).build();
        try (TestCluster cluster = TestCluster.start(driver, settings)) {
            String message = cluster.awaitFailure("server 0").getMessage();
            assertTrue(message.contains("the topology has neither host '"), message);
            assertTrue(message.contains("where node 0 is: expected one of its 1 hosts"), message);
        }
    }

    /** Every node gets the error before any has started. */
    @Test
    void limitsThatExcludeANodeAreNamed() {
        ClusterSettings settings = udp("rotated:1,2").workers(3).build();
        try (TestCluster cluster = TestCluster.start(driver, settings)) {
            cluster.train(worker -> {});
            for (String node : List.of("server 0", "server 1", "worker 0", "worker 2")) {
                String message = cluster.awaitFailure(node).getMessage();
                assertTrue(message.contains("T = 1 children and depth H = 2 reach at most 2 hosts"), message);
                assertTrue(message.contains("host node 4 would be the first without a parent"), message);
            }
        }
    }

    @Tag("slow")
    @Test
    void fivePercentLostChangeNoBit() {
        requireReferenceInSpiteOfLoss("chain", 0.05);
    }

    @ParameterizedTest
    @Tag("trial")
    @ValueSource(strings = {"rotated:2", "shared:2", "stripes"})
    void onePercentLostChangesNoBit(String tree) {
        requireReferenceInSpiteOfLoss(tree, 0.01);
    }

    private static void requireReferenceInSpiteOfLoss(String tree, double rate) {
        ClusterSettings settings = udp(tree)
                .servers(2)
                .workers(3)
                .sliceElements(4_000)
                .livenessMs(10_000)
                .build();
        Property.holds(1, random -> {
            Updates updates = new Updates(random.nextLong(), List.of(new Shape("w", 8, 8_000), new Shape("b", 1, 9)));
            try (TestDriver lossy = TestDriver.lossy(rate, random.nextLong(), 256 << 10)) {
                run(lossy, settings, updates);
            }
        });
    }

    /** Servers and two workers on one host, three on another: the network carries one copy, shared memory the rest. */
    @Test
    void aHostTakesOneCopyAndSharesIt() {
        ClusterSettings settings = TestCluster.terms().workers(5).build();
        Property.holds(1, random -> {
            Updates updates = new Updates(random.nextLong(), SHAPES);
            try (TestDriver other = TestDriver.launch();
                    TestCluster cluster = TestCluster.start(driver, settings)) {
                cluster.adjust(context -> {
                    if (Thread.currentThread().getName().matches("test worker [234]")) {
                        context.aeronDirectory(other.directory()).channels(other.lengths());
                    }
                });
                Map<Integer, Long> relayed = run(cluster, updates);
                assertEquals(
                        1, relayed.values().stream().filter(bytes -> bytes > 0).count(), relayed::toString);
                assertTrue(relayed.get(2) > 0, relayed::toString);
            }
        });
    }

    private static Map<Integer, Long> run(TestDriver over, ClusterSettings settings, Updates updates) {
        try (TestCluster cluster = TestCluster.start(over, settings)) {
            return run(cluster, updates);
        }
    }

    /** Returns the bytes that each worker has relayed. */
    private static Map<Integer, Long> run(TestCluster cluster, Updates updates) {
        Map<Integer, Long> relayed = new ConcurrentHashMap<>();
        cluster.train(worker -> {
            Reference.train(worker, updates, CLOCKS);
            relayed.put(worker.index(), worker.bytesRelayed());
            assertTrue(worker.stats().bytesDecoded() > 0, "nothing was applied");
        });
        cluster.awaitSuccess();
        assertEquals(List.of(), cluster.errors());
        return relayed;
    }

    /** The relay's trainer computes and its child continues: under TAP no node waits for another. */
    @Test
    void childrenDoNotWaitForTheTrainerOfTheirParent() {
        ClusterSettings settings =
                udp("chain").servers(1).workers(2).consistency("tap").build();
        CountDownLatch childIsDone = new CountDownLatch(1);
        Map<Integer, Long> relayed = new ConcurrentHashMap<>();
        TestCluster.run(driver, settings, worker -> {
            Table table = worker.table("w", 4, 64);
            worker.start(Initialiser.ZEROS);
            if (0 == worker.index()) {
                assertTrue(childIsDone.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS), "the child did not finish");
            } else {
                for (int round = 1; round <= CLOCKS; round++) {
                    table.sync();
                    table.update(ones(4 * 64));
                    worker.clock();
                }
                Deadline.await("its own updates are broadcast", () -> {
                    table.sync();
                    return CLOCKS == table.get(3, 63);
                });
                childIsDone.countDown();
            }
            relayed.put(worker.index(), worker.bytesRelayed());
        });
        assertTrue(relayed.get(0) > 0, () -> "worker 0 does not relay: " + relayed);
    }

    /**
     * All workers but one leave without waiting until others have received the last versions, more than a log holds.
     */
    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @CsvSource({
        "chain, 40, ssp:3",
        "rotated:2, 40, ssp:3",
        "chain, 4000, ssp:3",
        "shared:2, 4000, bsp",
        "stripes, 4000, ssp:3",
        "flat, 4000, ssp:3"
    })
    void aWorkerThatLeavesFirstStillRelays(String tree, int rows, String consistency) {
        ClusterSettings settings =
                udp(tree).servers(2).workers(4).consistency(consistency).build();
        TestCluster.run(driver, settings, worker -> {
            Table table = worker.table("w", rows, 64);
            worker.start(Initialiser.ZEROS);
            for (int round = 1; round <= CLOCKS; round++) {
                table.sync();
                table.update(ones(rows * 64));
                worker.clock();
            }
            if (3 == worker.index()) {
                worker.drain(); // the others leave without
                assertEquals(4 * CLOCKS, table.get(rows - 1, 63));
            }
        });
    }

    private static float[] ones(int length) {
        float[] update = new float[length];
        Arrays.fill(update, 1);
        return update;
    }
}
