package io.sluice.filter.policy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.codecs.OffHeap;
import io.sluice.codecs.Property;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.spi.UpdateFilter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Comparator;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Exactly the first k of a stable sort by magnitude, ties included, for every kind of input. */
class TopKTest {
    private static final ValueLayout.OfFloat F32 = ValueLayout.JAVA_FLOAT;

    private enum Way {
        ARRAY,
        SEGMENT,
        SUMMED
    }

    @Test
    void isWhatASortWouldPutFirst() {
        Property.holds(400, random -> {
            int elements = random.nextInt(1, 400);
            double density = random.nextInt(4) == 0 ? 1e-4 : random.nextDouble(0.001, 1);
            int levels = random.nextBoolean() ? 4 : 1_000_000;
            float[] update = floats(random, elements, levels);
            float[] before = floats(random, elements, levels);
            for (Way way : Way.values()) {
                check(way, update, before, density);
            }
        });
    }

    /** Hidden elements are restored even if there is no room for the block: nothing has changed. */
    @Test
    void aSliceThatIsRefusedStaysAsItWas() {
        float[] before = {1, -2, 2, 0.5f};
        float[] update = {1, 4, 0, -2.5f};
        UpdateFilter filter = topK(0.25, before.length);
        MemorySegment residual = off(before);
        Block narrow = new Block().wrap(OffHeap.allocate(8), 0);
        assertThrows(
                IndexOutOfBoundsException.class, () -> filter.filter(update, 0, residual, 0, before.length, 1, narrow));
        assertArrayEquals(before, residual.toArray(F32));
        assertThrows(
                IndexOutOfBoundsException.class,
                () -> filter.filter(off(update), 0, residual, 0, before.length, 1, narrow));
        assertArrayEquals(before, residual.toArray(F32));
        assertThrows(
                IndexOutOfBoundsException.class, () -> filter.encodeResidual(residual, 0, before.length, 1, narrow));
        assertArrayEquals(before, residual.toArray(F32));
        filter.filter(update, 0, residual, 0, before.length, 1, room(before.length));
        assertArrayEquals(new float[] {0, 2, 2, -2}, residual.toArray(F32), "the first of four equals is sent");
    }

    private static UpdateFilter topK(double density, int elements) {
        return FilterPolicies.named("topk:" + density)
                .create(new TableSite(Kernels.preferred(), ValueType.F32, elements, elements));
    }

    private static Block room(int elements) {
        return new Block().wrap(OffHeap.allocate(BlockFormat.maxLength(elements)), 0);
    }

    private static void check(Way way, float[] update, float[] before, double density) {
        int elements = update.length;
        UpdateFilter filter = topK(density, elements);
        float[] sums = new float[elements];
        for (int i = 0; i < elements; i++) {
            sums[i] = before[i] + update[i];
        }
        MemorySegment residual = off(way == Way.SUMMED ? sums : before);
        Block block = room(elements);
        switch (way) {
            case ARRAY -> filter.filter(update, 0, residual, 0, elements, 1, block);
            case SEGMENT -> filter.filter(off(update), 0, residual, 0, elements, 1, block);
            case SUMMED -> filter.encodeResidual(residual, 0, elements, 1, block);
            default -> throw new AssertionError(way);
        }
        int k = Math.clamp((long) (density * elements), 1, elements);
        int[] first = IntStream.range(0, elements)
                .boxed()
                .sorted(Comparator.comparingDouble(i -> -Math.abs(sums[i])))
                .limit(k)
                .mapToInt(i -> i)
                .toArray();
        float[] left = sums.clone();
        for (int i : first) {
            left[i] = sums[i] == 0 ? sums[i] : 0;
        }
        assertArrayEquals(left, residual.toArray(F32));
        float kth = Math.abs(sums[first[k - 1]]);
        assertEquals(kth, filter.threshold(1));
        long sent = Arrays.stream(first).filter(i -> sums[i] != 0).count();
        assertEquals(block.format() == BlockFormat.DENSE ? elements : sent, block.count());
    }

    private static float[] floats(SplittableRandom random, int count, int levels) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextInt(-levels, levels + 1) / (float) Math.min(levels, 1000);
        }
        return values;
    }

    private static MemorySegment off(float[] values) {
        MemorySegment segment = OffHeap.allocate(4L * values.length);
        MemorySegment.copy(values, 0, segment, F32, 0, values.length);
        return segment;
    }
}
