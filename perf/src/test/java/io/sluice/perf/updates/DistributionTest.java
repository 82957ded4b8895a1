package io.sluice.perf.updates;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class DistributionTest {
    private static final int ELEMENTS = 64_000;

    @ParameterizedTest
    @EnumSource
    void theSameElementsPassInEveryClockAsManyAsWanted(Distribution distribution) {
        for (double kept : new double[] {0, 0.001, 0.1, 0.5, 1}) {
            TableShape shape = TableShape.of(distribution, ELEMENTS, kept, 1);
            HeapTable table = new HeapTable(shape, 0);
            boolean[] first = null;
            for (int clock = 0; clock < 4; clock++) {
                boolean[] passed = pass(table, shape.threshold());
                assertEquals(kept, share(passed), 0.01 + 0.05 * kept, "kept " + kept);
                first = first == null ? passed : first;
                assertArrayEquals(first, passed);
            }
            for (float residual : table.residual()) {
                assertEquals(0, residual, "an even number of clocks empties the residual");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void partsOfATableDiffer(Distribution distribution) {
        TableShape shape = TableShape.of(distribution, 256, 0.5, 2);
        float[] first = shape.update(0, 0);
        float[] second = shape.update(0, 1);
        assertEquals(128, first.length);
        int same = 0;
        for (int i = 0; i < first.length; i++) {
            same += first[i] == second[i] ? 1 : 0;
        }
        assertTrue(same < 8, same + " of 128 elements are the same");
    }

    private static boolean[] pass(HeapTable table, float threshold) {
        float[] update = table.next();
        boolean[] passed = new boolean[update.length];
        for (int i = 0; i < update.length; i++) {
            float v = table.residual()[i] + update[i];
            passed[i] = Math.abs(v) > threshold;
            table.residual()[i] = passed[i] ? 0 : v;
        }
        return passed;
    }

    private static double share(boolean[] passed) {
        int count = 0;
        for (boolean one : passed) {
            count += one ? 1 : 0;
        }
        return (double) count / passed.length;
    }
}
