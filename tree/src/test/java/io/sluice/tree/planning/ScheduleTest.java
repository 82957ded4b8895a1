package io.sluice.tree.planning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ScheduleTest {
    private static final double EXACT = 1e-9;
    private static final double[] UNIT = {1, 1, 1};

    /** P3, figure 4(a): a layer computes for one unit and synchronises for two, and four pass between iterations. */
    @Test
    void inOrderOfCreationTheFirstLayerWaitsForAllOthers() {
        double[][] layers = {{2}, {2}, {2}};
        assertEquals(6 + 4, new Schedule(UNIT, UNIT, layers, 0, 0, false, 0).run(8), EXACT);
    }

    /** P3, figure 4(b): two units pass, and the other layers arrive while the first ones compute. */
    @Test
    void byLayerTheOtherLayersArriveDuringTheForwardPass() {
        double[][] halves = {{1, 1}, {1, 1}, {1, 1}};
        assertEquals(6 + 2, new Schedule(UNIT, UNIT, halves, 0, 0, true, 0).run(8), EXACT);
    }

    /** P3, figure 6: a large layer is pushed and broadcast at the same time once it is divided into slices. */
    @Test
    void slicesUseBothWaysAtOnce() {
        double[][] whole = {{1}, {3}, {1}};
        double[][] sliced = {{1}, {1, 1, 1}, {1}};
        double coarse = new Schedule(UNIT, UNIT, whole, 1, 0, false, 0).run(8);
        double fine = new Schedule(UNIT, UNIT, sliced, 1, 0, false, 0).run(8);
        assertEquals(2, coarse - fine, EXACT);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void staysWithinItsBounds(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int trial = 0; trial < 50; trial++) {
            int layers = 1 + random.nextInt(8);
            double[] forward = random.doubles(layers).toArray();
            double[] backward = random.doubles(layers).toArray();
            double[][] slices = new double[layers][];
            double most = random.nextDouble(3);
            Arrays.setAll(
                    slices,
                    layer -> random.doubles(1 + random.nextInt(9))
                            .map(time -> time * most)
                            .toArray());
            double back = random.nextDouble(2);
            double compute =
                    Arrays.stream(forward).sum() + Arrays.stream(backward).sum();
            double up = Arrays.stream(slices).flatMapToDouble(Arrays::stream).sum();
            for (boolean byLayer : new boolean[] {false, true}) {
                double took = new Schedule(forward, backward, slices, back, 0, byLayer, 0).run(12);
                String place = "seed " + seed + ", trial " + trial + ", by layer " + byLayer + ": " + took;
                assertTrue(took >= Math.max(compute, up * Math.max(1, back)) - EXACT, place);
                assertTrue(took <= compute + up * (1 + back) + EXACT, place);
            }
        }
    }

    @Test
    void takesNoLongerThanItComputesOverFastLinks() {
        double[][] slices = {{1e-12}, {1e-12}, {1e-12}};
        assertEquals(6, new Schedule(UNIT, UNIT, slices, 1, 0, true, 0).run(4), EXACT);
    }

    /** One clock behind, the exchange is hidden behind computing, or computing behind the exchange. */
    @Test
    void aStaleWorkerComputesWhileSlicesTravel() {
        for (double transfer : new double[] {1, 2.5}) {
            double[][] slices = {{transfer / 2, transfer / 2}};
            double[] none = {0};
            double[] two = {2};
            double waits = new Schedule(none, two, slices, 1, 0.25, true, 0).run(20);
            assertEquals(2 + transfer + transfer / 2 + 0.25, waits, EXACT);
            assertEquals(
                    Math.max(2, Math.max(transfer, waits / 2)),
                    new Schedule(none, two, slices, 1, 0.25, true, 1).run(20),
                    EXACT);
        }
    }
}
