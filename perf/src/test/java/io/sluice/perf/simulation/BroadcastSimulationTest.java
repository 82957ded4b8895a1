package io.sluice.perf.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.tree.planning.LowerBound;
import io.sluice.tree.planning.Placement;
import io.sluice.tree.planning.PlanEstimate;
import io.sluice.tree.planning.RackNetwork;
import io.sluice.tree.planning.TreePlanners;
import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.Forest;
import io.sluice.tree.topology.Topology;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BroadcastSimulationTest {
    private static final double RATE = 1_000_000;
    private static final int FRAME = 1_000;
    private static final int BYTES = 1_000_000;
    private static final double FRAME_SECONDS = FRAME / RATE;

    private static BroadcastJob job(Topology topology, int servers, int workers) {
        Placement placement = Placement.spread(topology, servers, workers);
        return new BroadcastJob(
                topology, placement.servers(), placement.workers(), Placement.shards(BYTES, servers), FRAME, 1);
    }

    private static BroadcastJob star(int servers, int workers, double latency) {
        return job(RackNetwork.oneSwitch(servers + workers, RATE, latency), servers, workers);
    }

    private static double seconds(BroadcastJob job, String strategy) {
        return new BroadcastSimulation(job, TreePlanners.named(strategy).plan(job)).run();
    }

    @Test
    void oneServerAndOneWorkerTakeTheWiresTimeAndTheLatency() {
        assertEquals(BYTES / RATE + 0.25, seconds(star(1, 1, 0.25), "flat"), 1e-9);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 9})
    void aFlatBroadcastFromOneServerTakesNTimes(int workers) {
        assertEquals(workers * BYTES / RATE, seconds(star(1, workers, 0), "flat"), 1e-9);
    }

    @Test
    void aChainFromOneServerTakesOnceAndAFrameForEachHopMore() {
        assertEquals(BYTES / RATE + 6 * (FRAME_SECONDS + 0.01) + 0.01, seconds(star(1, 7, 0.01), "chain"), 1e-9);
    }

    @Test
    void aSharedTreeFromOneServerTakesTTimes() {
        // The deepest worker waits for T frames at each relay.
        double seconds = seconds(star(1, 12, 0), "shared:3");
        assertEquals(3 * BYTES / RATE, seconds, 2 * 3 * FRAME_SECONDS + 1e-9);
        assertTrue(seconds >= 3 * BYTES / RATE - 1e-9);
    }

    /** The shapes as they were measured with real relays: flat N/P, shared T, the others about 1. */
    @ParameterizedTest
    @CsvSource({
        "flat, 4, 0.01",
        "shared:2, 2, 0.01",
        "shared:3, 3, 0.01",
        "rotated:2, 1, 0.02",
        "chain, 1, 0.02",
        "stripes, 1, 0.02"
    })
    void eightWorkersAndTwoServers(String strategy, double times, double margin) {
        double ratio = seconds(star(2, 8, 0), strategy) / (BYTES / RATE);
        assertTrue(ratio >= times * (1 - 1e-9) && ratio <= times * (1 + margin), strategy + " takes " + ratio);
    }

    @Test
    void anOversubscribedRackLetsThroughWhatItsUplinkCarries() {
        // 1 server in a rack of 4 of which the uplink carries a quarter of one host's rate; 4 workers in the other
        // rack.
        Topology topology = new RackNetwork(8, 4, 2, RATE, 16, 0).topology();
        BroadcastJob job =
                new BroadcastJob(topology, new int[] {0}, new int[] {4, 5, 6, 7}, new long[] {BYTES}, FRAME, 1);
        assertEquals(4 * 4 * BYTES / RATE, seconds(job, "flat"), 4 * FRAME_SECONDS);
        assertEquals(4 * BYTES / RATE, seconds(job, "chain"), 8 * FRAME_SECONDS);
    }

    /** Chains of several servers begin at different places, and their first frames need not go all the way first. */
    @ParameterizedTest
    @CsvSource({"1, 64", "2, 8", "2, 128", "2, 512", "8, 128", "8, 512"})
    void theEstimateOfChainsIsWhatTheyTake(int servers, int workers) {
        BroadcastJob job = star(servers, workers, 0.0001);
        Forest plan = TreePlanners.named("chain").plan(job);
        double seconds = new BroadcastSimulation(job, plan).run();
        assertEquals(seconds, PlanEstimate.of(job, plan).finishSeconds(), 0.005 * seconds);
    }

    /** Within one rack all chains have the same order of hosts, so the last host receives all frames in sequence. */
    @ParameterizedTest
    @CsvSource({"2, 1000", "4, 1500"})
    void longChainsOfOneRackTakeTheTimeOfAllBytesAndOfThePath(int servers, int workers) {
        double way = (workers - 1) * FRAME_SECONDS + workers * 0.0001;
        assertEquals(BYTES / RATE + way, seconds(star(servers, workers, 0.0001), "chain"), 2 * FRAME_SECONDS);
    }

    /** A server begins with each stripe's first frame, so the last relay begins later by one frame for each stripe. */
    @ParameterizedTest
    @CsvSource({"1, 50", "2, 20", "2, 100", "4, 100"})
    void theEstimateOfStripesIsWhatTheyTake(int servers, int workers) {
        BroadcastJob job = star(servers, workers, 0.0001);
        Forest plan = TreePlanners.named("stripes").plan(job);
        double seconds = new BroadcastSimulation(job, plan).run();
        assertEquals(seconds, PlanEstimate.of(job, plan).finishSeconds(), 0.03 * seconds);
    }

    /** Frames to forward wait behind others at downlinks; the estimate has an upper bound on that wait. */
    @ParameterizedTest
    @CsvSource({"2, 64", "4, 32", "8, 16", "8, 128", "8, 512"})
    void rotatedTreesTakeWhatIsEstimatedOrWaitAsLongAsThatSays(int servers, int workers) {
        BroadcastJob job = star(servers, workers, 0.0001);
        for (String strategy : new String[] {"rotated:2", "rotated:4", "rotated:8"}) {
            Forest plan = TreePlanners.named(strategy).plan(job);
            double seconds = new BroadcastSimulation(job, plan).run();
            PlanEstimate estimate = PlanEstimate.of(job, plan);
            String what = strategy + " takes " + seconds + ", " + estimate;
            assertTrue(seconds > 0.98 * estimate.finishSeconds(), what);
            assertTrue(seconds < 1.02 * estimate.latestSeconds(), what);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 20", "2, 64", "8, 16", "8, 128", "8, 512"})
    void autoTakesNoMoreThanOtherShapes(int servers, int workers) {
        BroadcastJob job = star(servers, workers, 0.0001);
        double auto = seconds(job, "auto");
        for (String strategy : new String[] {"flat", "chain", "rotated:2", "rotated:8", "shared:2"}) {
            double other = seconds(job, strategy);
            assertTrue(auto <= 1.05 * other, auto + ", but " + strategy + " " + other);
        }
    }

    @Test
    void noPlanIsFasterThanTheBoundAndEveryFrameArrives() {
        for (long seed = 1; seed <= 60; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            int hosts = random.nextInt(4, 60);
            Topology topology = new RackNetwork(
                            hosts, random.nextInt(1, 12), random.nextInt(1, 4), RATE, random.nextInt(0, 6), 0.001)
                    .topology();
            BroadcastJob job = job(topology, random.nextInt(1, 4), random.nextInt(1, 2 * hosts));
            for (String strategy : new String[] {"flat", "chain", "rotated:3", "shared:2", "stripes"}) {
                Forest plan = TreePlanners.named(strategy).plan(job);
                BroadcastSimulation simulation = new BroadcastSimulation(job, plan);
                double seconds = simulation.run();
                long frames = plan.trees().stream()
                        .mapToLong(tree -> (tree.size() - 1) * ((tree.bytes() + FRAME - 1) / FRAME))
                        .sum();
                assertEquals(frames, simulation.deliveries(), "seed " + seed + ", " + strategy);
                assertTrue(
                        seconds >= LowerBound.of(job).seconds() * (1 - 1e-9),
                        "seed " + seed + ", " + strategy + ": " + seconds);
            }
        }
    }
}
