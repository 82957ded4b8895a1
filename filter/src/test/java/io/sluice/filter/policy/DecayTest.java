package io.sluice.filter.policy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.codecs.OffHeap;
import io.sluice.codecs.Property;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.spi.UpdateFilter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A filter with a decay is the filter without it, on a residual that was multiplied before each update. */
class DecayTest {
    private static final ValueLayout.OfFloat F32 = ValueLayout.JAVA_FLOAT;

    private static final List<String> POLICIES =
            List.of("dvf:0.3", "fixed:0.3", "topk:0.2", "density:0.2", "sidco:0.2", "budget:300", "adaptive:0.2,0.5");

    @Test
    void multipliesTheResidualBeforeAnUpdate() {
        Property.holds(60, random -> {
            String policy = POLICIES.get(random.nextInt(POLICIES.size()));
            float factor = (float) random.nextInt(0, 101) / 100;
            int elements = random.nextInt(1, 300);
            UpdateFilter decayed = filter(policy + ";decay=" + factor, elements);
            UpdateFilter plain = filter(policy, elements);
            assertEquals(plain.name(), decayed.name());
            boolean isPerElement = !policy.matches("(density|sidco|budget).*"); // these know the slices of the table
            int before = isPerElement ? random.nextInt(20) : 0;
            long offset = (long) before * Float.BYTES;
            MemorySegment one = residual(random, before + elements);
            MemorySegment other = OffHeap.allocate(one.byteSize()).copyFrom(one);
            for (int clock = 1; clock <= 6; clock++) {
                float[] update = update(random, elements);
                MemorySegment copy = OffHeap.allocate((long) elements * Float.BYTES);
                MemorySegment.copy(update, 0, copy, F32, 0, elements);
                Block first = room(elements);
                Block second = room(elements);
                int way = random.nextInt(3);
                if (way < 2) {
                    for (int i = 0; i < elements; i++) {
                        other.setAtIndex(F32, before + i, factor * other.getAtIndex(F32, before + i));
                    }
                }
                switch (way) {
                    case 0 -> {
                        decayed.filter(update, 0, one, offset, elements, clock, first);
                        plain.filter(update, 0, other, offset, elements, clock, second);
                    }
                    case 1 -> {
                        decayed.filter(copy, 0, one, offset, elements, clock, first);
                        plain.filter(copy, 0, other, offset, elements, clock, second);
                    }
                    default -> {
                        decayed.encodeResidual(one, offset, elements, clock, first);
                        plain.encodeResidual(other, offset, elements, clock, second);
                    }
                }
                assertEquals(second.count(), first.count());
                assertEquals(second.length(), first.length());
                assertArrayEquals(other.toArray(F32), one.toArray(F32));
                assertEquals(plain.threshold(clock), decayed.threshold(clock));
            }
        });
    }

    private static UpdateFilter filter(String spec, int elements) {
        return FilterPolicies.named(spec).create(new TableSite(Kernels.preferred(), ValueType.F32, elements, elements));
    }

    private static MemorySegment residual(SplittableRandom random, int elements) {
        MemorySegment residual = OffHeap.allocate((long) elements * Float.BYTES);
        MemorySegment.copy(update(random, elements), 0, residual, F32, 0, elements);
        return residual;
    }

    private static float[] update(SplittableRandom random, int elements) {
        float[] update = new float[elements];
        for (int i = 0; i < elements; i++) {
            update[i] = random.nextInt(4) == 0 ? 0 : (float) random.nextDouble(-1, 1);
        }
        return update;
    }

    private static Block room(int elements) {
        return new Block().wrap(OffHeap.allocate(BlockFormat.maxLength(elements)), 0);
    }
}
