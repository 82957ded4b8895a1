package io.sluice.samples.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ExamplesTest {

    @Test
    void holdsManyRows() {
        Examples.Builder builder = new Examples.Builder();
        for (int row = 0; row < 1_000; row++) {
            for (int i = 0; i < row % 7; i++) {
                builder.add(row + i, row);
            }
            builder.endRow(row % 2);
        }
        Examples examples = builder.build();
        assertEquals(1_000, examples.size());
        assertEquals(examples.end(999), examples.entries());
        for (int row = 0; row < 1_000; row++) {
            assertEquals(row % 2, examples.label(row));
            assertEquals(row % 7, examples.end(row) - examples.start(row));
            for (int entry = examples.start(row); entry < examples.end(row); entry++) {
                assertEquals(row + entry - examples.start(row), examples.index(entry));
                assertEquals(row, examples.value(entry));
            }
        }
    }

    @Test
    void multipliesARowAndAddsIt() {
        Examples.Builder builder = new Examples.Builder();
        builder.endRow(0);
        builder.add(1, 2);
        builder.add(3, -1);
        builder.endRow(1);
        Examples examples = builder.build();
        float[] weights = {100, 10, 1, 0.5f};
        assertEquals(0, examples.dot(0, weights, 0));
        assertEquals(19.5, examples.dot(1, weights, 0));
        examples.addTo(1, 10, weights, 0);
        assertArrayEquals(new float[] {100, 30, 1, -9.5f}, weights);
        assertEquals(62, examples.dot(1, new float[] {0, 0, 0, 31, 0, 0}, 2));
    }

    @Test
    void givesEachNthRow() {
        Examples.Builder builder = new Examples.Builder();
        for (int row = 0; row < 10; row++) {
            builder.add(row, row);
            builder.add(20, 1);
            builder.endRow(row);
        }
        Examples examples = builder.build();
        assertEquals(10, examples.each(1).size());
        Examples some = examples.each(3);
        assertEquals(4, some.size());
        for (int row = 0; row < 4; row++) {
            assertEquals(3 * row, some.label(row));
            assertArrayEquals(new int[] {3 * row, 20}, some.indices(row));
            assertArrayEquals(new float[] {3 * row, 1}, some.values(row));
        }
    }
}
