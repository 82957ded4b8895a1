package io.sluice.perf.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.terms.ClusterSettings;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ForecastTest {
    private static final long MBIT = 1_000_000;
    private static final long COMPUTE_NS = 600_000_000;

    private static TrainingPlan plan(String model, int workers, int servers) {
        return new TrainingPlan(LayerModel.named(model, 64), workers, servers, COMPUTE_NS);
    }

    @Test
    void theWireIsThatOfTheMostLoadedLink() {
        Forecast one = Forecast.of(plan(PublishedLayers.VGG19, 1, 1), SyncMethod.BASELINE, 100 * MBIT);
        double alone = 4.0 * 8 * 143_667_240 / 64 / (100 * MBIT);
        assertTrue(one.wire() > alone && one.wire() < 1.1 * alone, one::toString);
        Forecast two = Forecast.of(plan(PublishedLayers.VGG19, 2, 1), SyncMethod.BASELINE, 100 * MBIT);
        assertEquals(2 * one.wire(), two.wire(), 1e-3 * two.wire(), "two workers share the server's link");
        Forecast four = Forecast.of(plan(PublishedLayers.THREE, 2, 2), new SyncMethod(4_096, "layer"), 100 * MBIT);
        Forecast half = Forecast.of(plan(PublishedLayers.THREE, 2, 1), new SyncMethod(4_096, "layer"), 100 * MBIT);
        assertEquals(half.wire() / 2, four.wire(), 1e-3 * half.wire(), "each server has half of the slices");
    }

    @Test
    void orderByLayerGainsInBetweenAndNothingAtTheEnds() {
        TrainingPlan plan = plan(PublishedLayers.VGG19, 2, 1);
        SyncMethod byLayer = new SyncMethod(4_096, "layer");
        assertTrue(speedup(plan, byLayer, 200 * MBIT) > 1.1);
        assertEquals(1, speedup(plan, byLayer, 100_000 * MBIT), 0.01);
        assertEquals(1, speedup(plan, byLayer, 2 * MBIT), 0.05);
    }

    private static double speedup(TrainingPlan plan, SyncMethod method, long rate) {
        return Forecast.of(plan, SyncMethod.BASELINE, rate).iteration()
                / Forecast.of(plan, method, rate).iteration();
    }

    @Test
    void theBaselineIsFirstAndNothingIsComparedTwice() {
        List<SyncMethod> methods = SyncMethod.compared(List.of(1_024, 65_536, 1_024));
        assertEquals(
                List.of(
                        SyncMethod.BASELINE,
                        new SyncMethod(1_024, "fifo"),
                        new SyncMethod(1_024, "layer"),
                        new SyncMethod(65_536, "layer")),
                methods);
        assertEquals(2, SyncMethod.compared(List.of(65_536)).size());
    }

    /** Whole layers of very unequal sizes: what MPS's figure 5.3 shows. */
    @Test
    void theLargestFirstVaryLeast() {
        TrainingPlan plan = new TrainingPlan(LayerModel.named(PublishedLayers.GOOGLENET, 4), 4, 4, COMPUTE_NS);
        SyncMethod whole = new SyncMethod(1 << 16, "layer");
        double least = plan.loadVariation(whole, "largest-first");
        assertTrue(least < plan.loadVariation(whole, "round-robin"));
        assertEquals(0, plan.loadVariation(new SyncMethod(64, "layer"), "largest-first"), 1e-3, "short slices");
    }

    @Test
    void budgetsOfAllWorkersFitAServersLink() {
        TrainingPlan plan = plan(PublishedLayers.THREE, 3, 2);
        ClusterSettings settings = plan.terms(new SyncMethod(65_536, "layer"), "uniform", 50 * MBIT);
        assertTrue(settings.queues());
        assertTrue(3 * settings.linkBudget().rate() < 50 * MBIT, "three workers fit one server's link");
        assertTrue(settings.linkBudget().burst() > 4 * 65_536, "the longest frame fits a burst");
    }
}
