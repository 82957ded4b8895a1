package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.membership.ClusterState.Demotion;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.TransportKind;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Relays are demoted while they forward. With any tree, BSP equals a single process bit for bit. */
@Timeout(240)
class DemotedRelayTest {
    private static final int CLOCKS = 12;

    /** Number of clocks after which a demoted relay has nothing left to forward. */
    private static final int SOON = 4;

    private static final int TERM_LENGTH = 64 << 10;
    private static final String[] TREES = {"chain", "rotated:2", "shared:2", "stripes"};
    private static final List<Shape> SHAPES = List.of(new Shape("w", 60, 500), new Shape("b", 1, 9));

    private static TestDriver driver;

    private final Map<Integer, List<Integer>> demoted = new ConcurrentHashMap<>();
    private final Map<Integer, Long> relayed = new ConcurrentHashMap<>();
    private final Map<Integer, Long> relayedSoon = new ConcurrentHashMap<>();

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch(TERM_LENGTH);
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    private static ClusterSettingsBuilder terms(String tree, int servers, int workers) {
        return TestCluster.terms()
                .transport(TransportKind.UDP)
                .compressor("none")
                .sliceElements(1_000)
                .servers(servers)
                .workers(workers)
                .tree(tree);
    }

    private static List<Integer> demotions(Worker worker) {
        return worker.links().membership().state().demotions().stream()
                .map(Demotion::node)
                .map(node -> node.node() - worker.links().membership().plan().workerNode(0))
                .toList();
    }

    private static boolean request(Worker worker) {
        Membership membership = worker.links().membership();
        membership.workerSetChanges().askForDemotion(true, membership.state());
        return demotions(worker).contains(worker.index());
    }

    /** Trains; some workers request their demotion from some clock on, and may wait for it, as then all others do. */
    private void train(Worker worker, Updates updates, int clocks, int from, boolean waits) {
        Reference.train(worker, updates, clocks, round -> {
            if (round >= from && !request(worker) && waits) {
                Deadline.await("worker " + worker.index() + " is demoted", () -> request(worker));
            }
            if (round - SOON == from) { // other nodes have taken the versions before the demotion by now
                relayedSoon.put(worker.index(), worker.bytesRelayed());
            }
        });
        demoted.put(worker.index(), demotions(worker));
        relayed.put(worker.index(), worker.bytesRelayed());
    }

    private void runWithDemotions(SplittableRandom random) {
        int workers = random.nextInt(3, 6);
        String tree = TREES[random.nextInt(TREES.length)];
        ClusterSettings settings = terms(tree, random.nextInt(1, 3), workers)
                .onDeath(random.nextBoolean() ? DeathPolicy.FAIL : DeathPolicy.SHRINK)
                .build();
        Updates updates = new Updates(random.nextLong(), SHAPES);
        int[] from = random.ints(workers, 2, 3 * CLOCKS / 2).toArray();
        from[random.nextInt(workers)] = random.nextInt(2, CLOCKS / 2);
        boolean[] waits = new boolean[workers];
        for (int worker = 0; worker < workers; worker++) {
            waits[worker] = from[worker] < CLOCKS - 1 && random.nextBoolean();
        }
        TestCluster.run(
                driver,
                settings,
                worker -> train(worker, updates, CLOCKS, from[worker.index()], waits[worker.index()]));
    }

    @Tag("slow")
    @Test
    void demotionsChangeNoBit() {
        Property.holds(2, this::runWithDemotions);
    }

    @Test
    @Tag("trial")
    void demotionsChangeNoBitManyTimes() {
        Property.holds(100, this::runWithDemotions);
    }

    /** The head of a chain forwards all to the next worker until it is demoted; then the server sends to both. */
    @Tag("slow")
    @Test
    void aDemotedRelayForwardsNothing() {
        Property.holds(1, random -> {
            Updates updates = new Updates(random.nextLong(), SHAPES);
            ClusterSettings settings = terms("chain", 1, 2).build();
            TestCluster.run(driver, settings, worker -> {
                int from = 0 == worker.index() ? 5 : Integer.MAX_VALUE;
                train(worker, updates, 2 * CLOCKS, from, true);
            });
            long bytes = 4L * (60 * 500 + 9);
            assertEquals(List.of(0), demoted.get(1));
            assertTrue(relayed.get(0) >= 3 * bytes, () -> "it was a relay: " + relayed);
            assertTrue(relayed.get(0) <= CLOCKS * bytes, () -> "it still is: " + relayed);
            assertEquals(relayedSoon.get(0), relayed.get(0), "it has forwarded after its demotion");
        });
    }
}
