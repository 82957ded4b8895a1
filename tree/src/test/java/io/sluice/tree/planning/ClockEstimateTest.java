package io.sluice.tree.planning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.tree.spi.BroadcastJob;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClockEstimateTest {
    private static final double RATE = 1e6;
    private static final int FRAME = 1_000;

    private static ClockEstimate estimate(int servers, int workers, double received, double pushed, String tree) {
        BroadcastJob job = ClockEstimate.atOneSwitch(servers, workers, RATE, 0, received, pushed, FRAME);
        return ClockEstimate.of(job, TreePlanners.named(tree));
    }

    private static double seconds(ClockEstimate estimate, double compute, int staleness) {
        return estimate.seconds(List.of(new ClockEstimate.Layer(0, compute, 1, 1_000)), false, staleness);
    }

    /** The link of a server carries the pushes of all workers, and in the other direction a copy for each. */
    @Test
    void flatBroadcastsTakeAsLongAsPushesAndBesideThem() {
        ClockEstimate flat = estimate(1, 4, 1e6, 1e6, "flat");
        assertEquals(4, flat.pushSeconds(), 1e-6);
        assertEquals(4, flat.broadcastSeconds(), 1e-6);
        assertEquals(4, seconds(flat, 0, 0), 0.02);
        assertEquals(6, seconds(flat, 2, 0), 0.02);
        assertEquals(4, seconds(flat, 2, 1), 0.02);
    }

    /** A relay's uplink carries its pushes, too: docs/decisions/0006-trees.md. */
    @Test
    void relaysShareTheirUplinkWithPushes() {
        assertEquals(1, longest(estimate(5, 5, 1e6, 1e6, "flat")), 0.01);
        assertEquals(1.6, longest(estimate(5, 5, 1e6, 1e6, "rotated:2")), 0.01);
        assertTrue(longest(estimate(5, 5, 1e6, 1e5, "rotated:2")) < 1.2, "few pushes");
    }

    private static double longest(ClockEstimate estimate) {
        return Math.max(estimate.pushSeconds(), estimate.broadcastSeconds());
    }

    /** Without pushes the estimate is that of the planners. */
    @ParameterizedTest
    @ValueSource(strings = {"flat", "chain", "rotated:2", "shared:2"})
    void broadcastsAloneTakeWhatThePlannersEstimate(String tree) {
        BroadcastJob job = ClockEstimate.atOneSwitch(2, 8, RATE, 0, 1e6, 0, FRAME);
        PlanEstimate plan = PlanEstimate.of(job, TreePlanners.named(tree).plan(job.withPushes()));
        assertEquals(
                plan.finishSeconds(),
                seconds(ClockEstimate.of(job, TreePlanners.named(tree)), 0, 0),
                0.01 * plan.finishSeconds());
    }

    @Test
    void messagesThatTakeNoTimeLeaveComputing() {
        assertEquals(3, seconds(ClockEstimate.NOTHING, 3, 0), 1e-6);
        assertEquals(4, seconds(ClockEstimate.NOTHING.times(2), 4, 0), 1e-6);
    }
}
