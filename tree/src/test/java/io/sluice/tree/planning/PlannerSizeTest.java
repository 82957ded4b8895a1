package io.sluice.tree.planning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.sluice.codecs.Drawn;
import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.Forest;
import io.sluice.tree.spi.TreePlanner;
import io.sluice.tree.topology.Topology;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every node plans by itself when a cluster forms, so planners must be fast for the largest cluster. */
@Tag("slow")
class PlannerSizeTest {
    private static final int WORKERS = 10_000;
    private static final int SERVERS = 8;
    private static final double GBIT = 125e6;

    /** Many times what a busy machine takes: for work that grows faster than it has to. */
    private static final Duration FAR_TOO_LONG = Duration.ofSeconds(15);

    @Drawn
    @ParameterizedTest
    @ValueSource(
            strings = {"auto", "rotated:2", "rotated:10000,1", "rotated:100,2", "chain", "flat", "shared:2", "p3:5,9"})
    void tenThousandWorkersArePlannedInSeconds(String strategy) {
        TreePlanner planner = TreePlanners.named(strategy);
        for (BroadcastJob job :
                new BroadcastJob[] {inRacks().withPushes(), atOneSwitch().withPushes(), inRacks()}) {
            Forest plan = assertTimeoutPreemptively(FAR_TOO_LONG, () -> planner.plan(job));
            assertEquals(SERVERS, plan.trees().size());
            plan.trees().forEach(tree -> assertEquals(WORKERS + 1, tree.size()));
        }
    }

    private static BroadcastJob inRacks() {
        return job(new RackNetwork(SERVERS + WORKERS, 40, 16, GBIT, 4, 50e-6).topology());
    }

    private static BroadcastJob atOneSwitch() {
        return job(RackNetwork.oneSwitch(SERVERS + WORKERS, GBIT, 50e-6));
    }

    private static BroadcastJob job(Topology topology) {
        Placement placement = Placement.spread(topology, SERVERS, WORKERS);
        long[] shards = Placement.shards(64 << 20, SERVERS);
        return new BroadcastJob(topology, placement.servers(), placement.workers(), shards, 64 << 10, 1);
    }
}
