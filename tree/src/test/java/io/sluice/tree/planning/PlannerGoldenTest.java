package io.sluice.tree.planning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.Forest;
import io.sluice.tree.spi.RelayTree;
import io.sluice.tree.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Small plans that can be checked by hand. */
class PlannerGoldenTest {
    private static final double GBIT = 125e6;

    /** Servers on the first hosts of one switch, workers on the others; no latency. */
    static BroadcastJob star(int servers, int workers, long bytes) {
        Topology topology = RackNetwork.oneSwitch(servers + workers, GBIT, 0);
        int[] serverHosts = new int[servers];
        int[] workerHosts = new int[workers];
        Arrays.setAll(serverHosts, i -> i);
        Arrays.setAll(workerHosts, i -> servers + i);
        return new BroadcastJob(topology, serverHosts, workerHosts, Placement.shards(bytes, servers), 65_536, 1);
    }

    private static String text(BroadcastJob job, RelayTree tree) {
        List<String> hops = new ArrayList<>();
        for (int place = 1; place < tree.size(); place++) {
            int site = tree.order(place);
            hops.add(job.name(tree.parent(site)) + ">" + job.name(site));
        }
        return String.join(" ", hops);
    }

    @ParameterizedTest
    @CsvSource({
        "flat, h0>h2 h0>h3 h0>h4 h0>h5, h1>h2 h1>h3 h1>h4 h1>h5",
        "chain, h0>h2 h2>h3 h3>h4 h4>h5, h1>h2 h2>h3 h3>h4 h4>h5",
        "shared:2, h0>h2 h0>h3 h2>h4 h2>h5, h1>h2 h1>h3 h2>h4 h2>h5",
        "rotated:2, h0>h2 h0>h3 h2>h4 h2>h5, h1>h3 h1>h4 h3>h2 h3>h5",
    })
    void fourWorkersAndTwoServers(String strategy, String first, String second) {
        BroadcastJob job = star(2, 4, 1 << 20);
        Forest plan = TreePlanners.named(strategy).plan(job);
        assertEquals(first, text(job, plan.trees().get(0)));
        assertEquals(second, text(job, plan.trees().get(1)));
    }

    /** The shapes as measured for 2 servers and 8 workers: notes on flat N/P, shared T, the others 1. */
    @ParameterizedTest
    @CsvSource({"flat, 4", "shared:2, 2", "shared:3, 3", "rotated:2, 1", "chain, 1", "stripes, 1"})
    void theBusiestLinkCarriesWhatTheShapeSays(String strategy, double times) {
        BroadcastJob job = star(2, 8, 1 << 26);
        PlanEstimate estimate =
                PlanEstimate.of(job, TreePlanners.named(strategy).plan(job));
        assertEquals(times * (1 << 26) / GBIT, estimate.linkSeconds(), 1e-6);
        assertTrue(estimate.fillSeconds() < 0.02 * estimate.linkSeconds(), estimate.toString());
    }

    /** Five servers: a worker's uplink is busy with its pushes for S/B, so only the servers can send. */
    @Test
    void autoSendsFlatWherePushesNeedTheUplinksOfWorkers() {
        BroadcastJob job = star(5, 5, 1 << 26).withPushes();
        double wire = (1 << 26) / GBIT;
        assertEquals(1, seconds(job, new FlatPlanner().plan(job)) / wire, 0.01);
        assertEquals(1.6, seconds(job, new RotatedPlanner(2, 0).plan(job)) / wire, 0.01);
        assertEquals("flat", new AutoPlanner().plan(job).strategy());
        assertEquals(1, LowerBound.of(job).seconds() / wire, 0.01);
    }

    /** One server: its downlink is busy with pushes for n S/B, which any plan is within, so the broadcast decides. */
    @ParameterizedTest
    @ValueSource(strings = {"auto", "rotated:2", "rotated:4"})
    void pushesToOneServerLeaveThePlanAsItIs(String strategy) {
        BroadcastJob job = star(1, 8, 1 << 26);
        Forest alone = TreePlanners.named(strategy).plan(job);
        Forest pushed = TreePlanners.named(strategy).plan(job.withPushes());
        assertEquals(8, seconds(job.withPushes(), pushed) * GBIT / (1 << 26), 0.01);
        assertEquals(seconds(job, alone), seconds(job, pushed), 0.01 * seconds(job, alone));
    }

    /** Workers on a host that has a server push to it without a link. */
    @Test
    void pushesWithinAHostLoadNoLink() {
        Topology topology = RackNetwork.oneSwitch(2, GBIT, 0);
        int[] both = {0, 1};
        BroadcastJob job = new BroadcastJob(topology, both, new int[] {0, 0, 1}, new long[] {1_000, 3_000}, 100, 1);
        assertEquals(0, job.pushBytes(1, 0));
        BroadcastJob pushing = job.withPushes();
        assertEquals(0, pushing.pushBytes(0, 0));
        assertEquals(6_000, pushing.pushBytes(1, 0));
        assertEquals(1_000, pushing.pushBytes(0, 1));
        PlanEstimate estimate = PlanEstimate.of(pushing, new FlatPlanner().plan(pushing));
        assertEquals(7_000, estimate.maxUplinkBytes()); // 6,000 pushed and 1,000 of the shard
        assertEquals(7_000 / GBIT, estimate.linkSeconds(), 1e-12);
    }

    /** Leaves push, but forward nothing that could wait behind other frames. */
    @Test
    void pushesMakeNoFrameWait() {
        BroadcastJob job = star(5, 2, 1 << 26).withPushes();
        PlanEstimate flat = PlanEstimate.of(job, new FlatPlanner().plan(job));
        assertEquals(0, flat.waitSeconds());
        assertEquals((1 << 26) / GBIT, flat.linkSeconds(), 1e-3);
    }

    /** A server in one rack, two workers in another: the switches carry one shard down and two pushes up. */
    @Test
    void pushesLoadSwitchesAndMeasuredPaths() {
        Topology.Builder network = new Topology.Builder().latency(0);
        int core = network.aggregation("pod", Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY);
        int near = network.edge(core, "near", Double.POSITIVE_INFINITY, GBIT / 4);
        int far = network.edge(core, "far", GBIT / 2, GBIT / 2);
        network.host(near, "s", GBIT, GBIT);
        network.host(far, "w1", GBIT, GBIT);
        network.host(far, "w2", GBIT, GBIT);
        long bytes = 1 << 26;
        BroadcastJob broadcast =
                new BroadcastJob(network.build(), new int[] {0}, new int[] {1, 2}, new long[] {bytes}, 65_536, 1);
        PlanEstimate pushed = PlanEstimate.of(broadcast.withPushes(), new ChainPlanner().plan(broadcast));
        assertEquals("downlink of edge near", pushed.link());
        assertEquals(2 * bytes / (GBIT / 4), pushed.linkSeconds(), 1e-9);
        network.measured("w1", "s", GBIT / 100).measured("s", "w1", GBIT);
        BroadcastJob measured =
                new BroadcastJob(network.build(), new int[] {0}, new int[] {1, 2}, new long[] {bytes}, 65_536, 1);
        PlanEstimate slow = PlanEstimate.of(measured.withPushes(), new FlatPlanner().plan(measured));
        assertEquals("path from host w1 to s", slow.link());
        assertEquals(bytes / (GBIT / 100), slow.linkSeconds(), 1e-6);
    }

    private static double seconds(BroadcastJob job, Forest plan) {
        return PlanEstimate.of(job, plan).finishSeconds();
    }

    /** The third plan is as fast as the second, which is as fast as the first: the third is slower than the first. */
    @Test
    void rotatedTakesTheCheapestPlanAmongThoseAsFastAsTheFastest() {
        List<PlanChoice> plans = List.of(choice(1, 3), choice(1.004, 2), choice(1.008, 1));
        assertEquals(2, RotatedPlanner.choose(plans).cost());
    }

    private static PlanChoice choice(double seconds, double cost) {
        PlanEstimate estimate = new PlanEstimate(seconds, "a link", 0, 0, 1);
        return new PlanChoice(new Forest("rotated", List.of()), estimate, estimate, cost);
    }

    /** One direction was measured and is used for the other: the path between the first two workers is slow. */
    @ParameterizedTest
    @CsvSource({
        "chain, 1e6, path from host h1 to h2, 125",
        "flat, 1e6, uplink of host h0, 3",
        "rotated:1, 1e6, path from host h1 to h2, 125",
        "rotated:1, 125e6, uplink of host h0, 1",
        "auto, 1e6, uplink of host h0, 2",
    })
    void aSlowPathIsWhatAPlanWaitsForAndAutoTakesAShapeWithoutIt(
            String strategy, double rate, String busiest, double times) {
        Topology.Builder network = new Topology.Builder().latency(0);
        int edge = network.edge(network.aggregation("pod", GBIT, GBIT), "rack", GBIT, GBIT);
        for (int host = 0; host < 4; host++) {
            network.host(edge, "h" + host, GBIT, GBIT);
        }
        network.measured("h2", "h1", rate);
        for (String pair : List.of("h0 h1", "h0 h2", "h0 h3", "h1 h3", "h2 h3")) {
            network.measured(pair.substring(0, 2), pair.substring(3), GBIT);
        }
        long bytes = 1 << 20;
        BroadcastJob job =
                new BroadcastJob(network.build(), new int[] {0}, new int[] {1, 2, 3}, new long[] {bytes}, 65_536, 1);
        PlanEstimate estimate =
                PlanEstimate.of(job, TreePlanners.named(strategy).plan(job));
        assertEquals(busiest, estimate.link());
        assertEquals(times * bytes / GBIT, estimate.linkSeconds(), 1e-9);
    }

    /** A frame's time on links of different rates is rounded: one that begins at once may seem to begin before. */
    @ParameterizedTest
    @ValueSource(strings = {"auto", "flat", "chain", "rotated", "rotated:1", "shared:2", "stripes", "p3:2"})
    void aServerThatSendsFasterThanOthersReceiveDoesNotBeginBeforeTheBroadcast(String strategy) {
        Topology.Builder network = new Topology.Builder().latency(0);
        int core = network.aggregation("network", Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY);
        int a = network.edge(core, "a", Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY);
        int b = network.edge(core, "b", Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY);
        network.host(b, "s", GBIT, GBIT / 10);
        for (String worker : List.of("w1", "w2", "w3", "w4")) {
            network.host("w4".equals(worker) ? b : a, worker, GBIT / 10, GBIT / 10);
        }
        int frame = 65_344;
        long bytes = 1 << 20;
        BroadcastJob job =
                new BroadcastJob(network.build(), new int[] {0}, new int[] {1, 2, 3, 4}, new long[] {bytes}, frame, 1);
        PlanEstimate estimate =
                PlanEstimate.of(job, TreePlanners.named(strategy).plan(job));
        assertTrue(estimate.finishSeconds() >= LowerBound.of(job).seconds() * (1 - 1e-9), estimate.toString());
        if ("flat".equals(strategy)) {
            double behindThree = 3 * frame / GBIT;
            assertEquals(bytes / (GBIT / 10) + behindThree, estimate.finishSeconds(), 1e-9);
        }
    }

    @Test
    void oneServerGetsAChainForLongMessagesAndATreeForShortOnes() {
        assertEquals(1, new RotatedPlanner(2, 0).plan(star(1, 30, 1L << 30)).degree());
        assertEquals(2, new RotatedPlanner(2, 0).plan(star(1, 30, 1 << 10)).degree());
        assertEquals(4, new RotatedPlanner(2, 0).plan(star(1, 30, 1 << 10)).depth());
    }

    @ParameterizedTest
    @CsvSource({"'rotated:2,3'", "'shared:2,3'", "'p3:2,3'"})
    void limitsThatLeaveHostsOutAreNamedWithTheFirstOfThem(String strategy) {
        IllegalArgumentException refusal = assertThrows(
                IllegalArgumentException.class,
                () -> TreePlanners.named(strategy).plan(star(2, 20, 1 << 20)));
        assertTrue(
                refusal.getMessage()
                        .startsWith("strategy " + strategy
                                + ": T = 2 children and depth H = 3 reach at most 14 hosts from "),
                refusal.getMessage());
        assertTrue(refusal.getMessage().endsWith("host h16 would be the first without a parent"), refusal.getMessage());
    }

    @Test
    void stripesForThousandsAreRefused() {
        IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> new StripesPlanner().plan(star(2, 3_000, 1 << 20)));
        assertTrue(refusal.getMessage().contains("shard 0 (server on h0, 3000 hosts)"), refusal.getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "tree, 'tree is ''tree'', expected one of auto; rotated[:T[,H]]; chain'",
        "rotated:0, 'tree is ''rotated:0'', expected rotated[:T[,H]]: ''0'' is not a whole number from 1'",
        "'p3:2,x', 'tree is ''p3:2,x'', expected p3[:T[,H]]: ''x'' is not a whole number'",
        "chain:3, 'tree is ''chain:3'', expected chain: it has 1 argument'",
    })
    void namesThatAreNoneAreRefused(String name, String message) {
        IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, () -> TreePlanners.named(name));
        assertTrue(refusal.getMessage().startsWith(message), refusal.getMessage());
    }
}
