package io.sluice.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.BlockFormat;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * The vector kernels against the scalar ones, bit for bit. Each operand is a segment of exactly its length, so a kernel
 * that reads or writes beyond one fails here.
 */
class KernelTwinsTest {
    private static final float[] THRESHOLDS = {0.0f, 1e-40f, 0.5f, 1.0f, 3.0f, Float.MAX_VALUE};

    private final Kernels vector = new VectorKernels();
    private final Kernels scalar = new ScalarKernels();

    @Test
    void allLengthsUpTo200() {
        SplittableRandom random = new SplittableRandom(1);
        for (int elements = 0; elements <= 200; elements++) {
            for (float threshold : THRESHOLDS) {
                compareAll(random, elements, threshold, false);
                compareAll(random, elements, threshold, true);
            }
        }
    }

    @Test
    void randomLengthsAndThresholds() {
        Property.holds(300, random -> {
            int elements = random.nextInt(5000);
            float threshold = THRESHOLDS[random.nextInt(THRESHOLDS.length)];
            compareAll(random, elements, threshold, random.nextBoolean());
        });
    }

    @Test
    void twoNaNsAddUpToEither() {
        int a = 0x7FC11111;
        int b = 0xFFC22222;
        for (Kernels kernels : new Kernels[] {vector, scalar}) {
            MemorySegment target = Floats.room(400, 0);
            MemorySegment values = Floats.room(400, 0);
            for (int i = 0; i < 100; i++) {
                target.set(Layout.F32_BITS, Layout.f32(i), a);
                values.set(Layout.F32_BITS, Layout.f32(i), b);
            }
            kernels.addDense(values, 0, 100, target, 0);
            for (int i = 0; i < 100; i++) {
                int sum = Floats.bits(target, i);
                assertTrue(sum == a || sum == b, () -> "not a payload of either: " + Integer.toHexString(sum));
            }
        }
    }

    @Test
    void maxAbsIsNaNIfThereIsAny() {
        MemorySegment values = MemorySegment.ofArray(new float[] {1, -5, Float.NEGATIVE_INFINITY, 2, Float.NaN, 3});
        for (Kernels kernels : new Kernels[] {vector, scalar}) {
            assertEquals(5.0f, kernels.maxAbs(values, 0, 2));
            assertEquals(Float.POSITIVE_INFINITY, kernels.maxAbs(values, 0, 4));
            assertTrue(Float.isNaN(kernels.maxAbs(values, 0, 6)));
            assertTrue(kernels.allFinite(values, 0, 2));
            assertTrue(!kernels.allFinite(values, 0, 3));
            assertTrue(!kernels.allFinite(values, 12, 2));
            assertEquals(0.0f, kernels.maxAbs(values, 0, 0));
        }
    }

    private void compareAll(SplittableRandom random, int elements, float threshold, boolean specials) {
        int shift = random.nextInt(8);
        MemorySegment residual = Floats.room(4L * elements, shift);
        MemorySegment update = random.nextBoolean()
                ? MemorySegment.ofArray(new float[elements])
                : Floats.room(4L * elements, random.nextInt(8));
        if (specials) {
            Floats.fillWithSpecials(random, residual);
            Floats.fillWithSpecials(random, update);
            Floats.separateNaNs(residual, update);
        } else {
            Floats.fillNormal(random, residual);
            Floats.fillNormal(random, update);
        }
        compareFilter(update, residual, elements, threshold, shift);
        compareDrain(update, residual, elements, threshold, shift);
        compareAddDense(update, residual, elements, shift);
        assertEquals(
                Float.floatToRawIntBits(scalar.maxAbs(update, 0, elements)),
                Float.floatToRawIntBits(vector.maxAbs(update, 0, elements)));
    }

    private void compareFilter(MemorySegment update, MemorySegment residual, int elements, float threshold, int shift) {
        int bitmap = BlockFormat.bitmapLength(elements);
        MemorySegment residuals = Floats.copyOf(residual, shift);
        MemorySegment residualv = Floats.copyOf(residual, shift);
        MemorySegment blocks = Floats.room(bitmap + 4L * elements, shift);
        MemorySegment blockv = Floats.room(bitmap + 4L * elements, shift);
        int counts = scalar.filter(update, 0, residuals, 0, elements, threshold, blocks, 0, bitmap);
        int countv = vector.filter(update, 0, residualv, 0, elements, threshold, blockv, 0, bitmap);

        assertSame(residuals, residualv, residual.byteSize());
        compareBlock(blocks, counts, blockv, countv, elements, residual, shift);
    }

    private void compareDrain(MemorySegment update, MemorySegment residual, int elements, float threshold, int shift) {
        int bitmap = BlockFormat.bitmapLength(elements);
        MemorySegment residuals = Floats.copyOf(residual, shift);
        MemorySegment residualv = Floats.copyOf(residual, shift);
        MemorySegment blocks = Floats.room(bitmap + 4L * elements, 0);
        MemorySegment blockv = Floats.room(bitmap + 4L * elements, 0);
        int counts = scalar.drain(residuals, 0, elements, threshold, blocks, 0, bitmap);
        int countv = vector.drain(residualv, 0, elements, threshold, blockv, 0, bitmap);

        assertSame(residuals, residualv, residual.byteSize());
        compareBlock(blocks, counts, blockv, countv, elements, update, shift);
    }

    /** Two blocks must be the same, and must do the same to a target. */
    private void compareBlock(
            MemorySegment blocks,
            int counts,
            MemorySegment blockv,
            int countv,
            int elements,
            MemorySegment target,
            int shift) {
        int bitmap = BlockFormat.bitmapLength(elements);
        assertEquals(counts, countv);
        assertSame(blocks, blockv, bitmap + 4L * counts);

        MemorySegment exact = Floats.copyOf(blocks.asSlice(0, bitmap + 4L * counts), shift);
        MemorySegment targets = Floats.copyOf(target, shift);
        Floats.separateNaNs(targets, dense(exact, counts, elements));
        MemorySegment targetv = Floats.copyOf(targets, shift);
        scalar.addBitmap(exact, 0, bitmap, counts, elements, targets, 0);
        vector.addBitmap(exact, 0, bitmap, counts, elements, targetv, 0);
        assertSame(targets, targetv, target.byteSize());
    }

    private MemorySegment dense(MemorySegment block, int count, int elements) {
        int bitmap = BlockFormat.bitmapLength(elements);
        MemorySegment both = Floats.room(8L * elements, 0);
        MemorySegment.copy(block, bitmap, both, 4L * elements, 4L * count);
        MemorySegment bothv = Floats.copyOf(both, 0);
        scalar.expand(block, 0, both, 4L * elements, count, elements, 0);
        vector.expand(block, 0, bothv, 4L * elements, count, elements, 0);
        assertSame(both, bothv, 4L * elements);
        return both.asSlice(0, 4L * elements);
    }

    private void compareAddDense(MemorySegment update, MemorySegment residual, int elements, int shift) {
        MemorySegment targets = Floats.copyOf(residual, shift);
        MemorySegment targetv = Floats.copyOf(residual, shift);
        scalar.addDense(update, 0, elements, targets, 0);
        vector.addDense(update, 0, elements, targetv, 0);
        assertSame(targets, targetv, residual.byteSize());
    }

    private static void assertSame(MemorySegment expected, MemorySegment actual, long bytes) {
        assertEquals(-1, expected.asSlice(0, bytes).mismatch(actual.asSlice(0, bytes)), "first byte that differs");
    }
}
