package io.sluice.filter.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.filter.Floats;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Both implementations of the kernel must add a block of any index format with the same result. */
class AddKernelTest {
    private static final ValueLayout.OfFloat F32 = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private final AddKernel[] kernels = {
        Kernels.vector().add(), Kernels.scalar().add()
    };

    @Test
    void everyFormatOfIndicesAddsTheSame() {
        Property.holds(600, random -> {
            int elements = random.nextInt(1, 3000);
            boolean[] present = Indices.random(random, elements);
            int count = Indices.count(present);
            MemorySegment target = Floats.room(4L * elements, random.nextInt(8));
            MemorySegment values = Floats.room(4L * count, random.nextInt(8));
            fill(random, target, values);
            Floats.separateNaNs(target, Indices.spread(present, values));
            MemorySegment expected = expected(present, target, values);
            MemorySegment bitmap = Indices.bitmap(present);
            MemorySegment indices = Indices.indices(present);
            MemorySegment deltas = Indices.deltas(present);
            MemorySegment boundaries = Indices.boundaries(present);
            int runs = (int) boundaries.byteSize() / 2;
            for (AddKernel kernel : kernels) {
                Addition[] additions = {
                    at -> kernel.bitmap(bitmap.address(), values.address(), count, elements, at),
                    at -> kernel.indices(indices.address(), values.address(), count, at),
                    at -> kernel.deltas(deltas.address(), values.address(), count, at),
                    at -> kernel.runs(boundaries.address(), runs, values.address(), elements, at)
                };
                for (Addition addition : additions) {
                    assertEquals(areFinite(present, expected), assertAdds(expected, target, addition));
                }
            }
        });
    }

    @Test
    void denseAddsEverywhere() {
        Property.holds(1, random -> {
            for (int elements = 0; elements < 200; elements++) {
                boolean[] all = new boolean[elements];
                java.util.Arrays.fill(all, true);
                MemorySegment target = Floats.room(4L * elements, random.nextInt(8));
                float[] array = new float[elements + 3];
                MemorySegment values = Floats.room(4L * elements, random.nextInt(8));
                fill(random, target, values);
                Floats.separateNaNs(target, values);
                MemorySegment.copy(values, F32, 0, array, 3, elements);
                MemorySegment expected = expected(all, target, values);
                int n = elements;
                for (AddKernel kernel : kernels) {
                    boolean finite = areFinite(all, expected);
                    assertEquals(finite, assertAdds(expected, target, at -> kernel.dense(values.address(), n, at)));
                    assertEquals(finite, assertAdds(expected, target, at -> kernel.dense(array, 3, n, at)));
                }
            }
        });
    }

    @Test
    void twoNaNsAddUpToEither() {
        int a = 0x7FC11111;
        int b = 0xFFC22222;
        for (AddKernel kernel : kernels) {
            MemorySegment target = Floats.room(400, 0);
            MemorySegment values = Floats.room(400, 0);
            for (int i = 0; i < 100; i++) {
                target.setAtIndex(ValueLayout.JAVA_INT, i, a);
                values.setAtIndex(ValueLayout.JAVA_INT, i, b);
            }
            kernel.dense(values.address(), 100, target.address());
            for (int i = 0; i < 100; i++) {
                int sum = Floats.bits(target, i);
                assertTrue(sum == a || sum == b, () -> "not a payload of either: " + Integer.toHexString(sum));
            }
        }
    }

    /** A single sum that is not finite is detected, and elements without an addition do not count. */
    @Test
    void oneSumThatIsNotFiniteIsFound() {
        Property.holds(300, random -> {
            int elements = random.nextInt(1, 1000);
            boolean[] present = Indices.random(random, elements);
            int chosen = random.nextInt(elements);
            MemorySegment target = Floats.room(4L * elements, random.nextInt(8));
            MemorySegment values = Floats.room(4L * Indices.count(present), random.nextInt(8));
            Floats.fillNormal(random, target);
            Floats.fillNormal(random, values);
            float[] bad = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY};
            target.set(F32, 4L * chosen, bad[random.nextInt(bad.length)]);
            int count = Indices.count(present);
            for (AddKernel kernel : kernels) {
                boolean finite = kernel.bitmap(
                        Indices.bitmap(present).address(),
                        values.address(),
                        count,
                        elements,
                        Floats.copyOf(target, 3).address());
                assertEquals(!present[chosen], finite);
            }
        });
    }

    private static void fill(SplittableRandom random, MemorySegment target, MemorySegment values) {
        if (random.nextBoolean()) {
            Floats.fillWithSpecials(random, target);
            Floats.fillWithSpecials(random, values);
        } else {
            Floats.fillNormal(random, target);
            Floats.fillNormal(random, values);
        }
    }

    private static boolean areFinite(boolean[] present, MemorySegment sums) {
        return java.util.stream.IntStream.range(0, present.length)
                .allMatch(i -> !present[i] || Float.isFinite(sums.get(F32, 4L * i)));
    }

    private interface Addition {
        boolean to(long target);
    }

    private static boolean assertAdds(MemorySegment expected, MemorySegment before, Addition addition) {
        GuardedRoom target = GuardedRoom.holding(before, 4);
        boolean finite = addition.to(target.address());
        target.assertUntouchedAround();
        assertEquals(-1, expected.mismatch(target.inside()), "first byte that differs");
        return finite;
    }

    private static MemorySegment expected(boolean[] present, MemorySegment before, MemorySegment values) {
        MemorySegment sum = Floats.copyOf(before, 0);
        int next = 0;
        for (int i = 0; i < present.length; i++) {
            if (present[i]) {
                sum.set(F32, 4L * i, sum.get(F32, 4L * i) + values.get(F32, 4L * next++));
            }
        }
        assertEquals(
                BlockFormat.bitmapLength(present.length),
                Indices.bitmap(present).byteSize());
        return sum;
    }
}
