package io.sluice.perf.updates;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class SteadyThresholdTest {
    @Test
    void theThresholdAllowsForTheResidual() {
        // Every element grows by 1 in each clock: above 1 but below 2 it passes in every second one.
        float[][] updates = {{1, 1, 1, 1}};
        float threshold = SteadyThreshold.of(updates, 0.5);
        assertEquals(1, threshold);
        assertEquals(0.5, SteadyThreshold.share(updates, threshold));
        assertEquals(1, SteadyThreshold.share(updates, Math.nextDown(threshold)));
    }

    @Test
    void forNothingIsAboveAllThatIsSeen() {
        float[][] updates = {{1, -8, 3}, {-1, 8, -3}};
        assertEquals(0, SteadyThreshold.share(updates, SteadyThreshold.of(updates, 0)));
    }

    @Test
    void forEverythingIsZero() {
        assertEquals(0, SteadyThreshold.of(new float[][] {{1, 2}}, 1));
    }

    @Test
    void forMoreThanThereIsLetsAllButZerosPass() {
        float[][] updates = {{0, 0, 0, 5}, {0, 0, 0, -4}};
        assertEquals(0.25, SteadyThreshold.share(updates, SteadyThreshold.of(updates, 0.9)));
    }

    @Test
    void thinningTakesEveryNth() {
        float[][] thinned = SteadyThreshold.thinned(new float[][] {{0, 1, 2, 3, 4, 5, 6}}, 3);
        assertArrayEquals(new float[] {0, 3, 6}, thinned[0]);
        assertTrue(SteadyThreshold.thinned(new float[][] {{0, 1}}, 2)[0].length == 2);
    }
}
