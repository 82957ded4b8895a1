package io.sluice.filter.threshold;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class SelectionTest {
    @Test
    void agreesWithASort() {
        Property.holds(2_000, random -> {
            int count = random.nextInt(1, 300);
            int levels = random.nextBoolean() ? 3 : 1_000_000;
            float[] values = new float[count + 5];
            for (int i = 0; i < values.length; i++) {
                values[i] = random.nextInt(levels) * 0.25f;
            }
            if (random.nextInt(4) == 0) {
                Arrays.sort(values, 0, count);
            }
            float[] sorted = Arrays.copyOf(values, count);
            Arrays.sort(sorted);
            float[] behind = Arrays.copyOfRange(values, count, values.length);
            int rank = random.nextInt(count);

            float found = Selection.descending(values, count, rank);

            assertEquals(sorted[count - 1 - rank], found);
            for (int i = 0; i < count; i++) {
                assertTrue(i < rank ? values[i] >= found : values[i] <= found);
            }
            float[] rearranged = Arrays.copyOf(values, count);
            Arrays.sort(rearranged);
            assertEquals(Arrays.toString(sorted), Arrays.toString(rearranged));
            assertEquals(Arrays.toString(behind), Arrays.toString(Arrays.copyOfRange(values, count, values.length)));
        });
    }

    /** Patterns that make a careless partition quadratic: a million would then take minutes. */
    @Test
    void staysLinear() {
        int count = 1_000_000;
        float[] values = new float[count];
        Arrays.fill(values, 7);
        assertEquals(7, Selection.descending(values, count, 500_000));
        for (int i = 0; i < count; i++) {
            values[i] = i;
        }
        assertEquals(count - 1 - 10_000, Selection.descending(values, count, 10_000));
        for (int i = 0; i < count; i++) {
            values[i] = Math.min(i, count - i);
        }
        assertEquals(count / 2.0f, Selection.descending(values, count, 0));
    }
}
