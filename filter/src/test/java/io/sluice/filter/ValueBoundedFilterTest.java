package io.sluice.filter;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.codecs.OffHeap;
import io.sluice.codecs.Property;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.spi.UpdateFilter;
import io.sluice.filter.threshold.ConstantThreshold;
import io.sluice.filter.threshold.InverseSquareRoot;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The filter of the paper. ContractTest checks for all policies that nothing is lost. */
class ValueBoundedFilterTest {
    private static final ValueLayout.OfFloat F32 = ValueLayout.JAVA_FLOAT;
    private static final int ELEMENTS = 1_000;

    private final MemorySegment room = OffHeap.allocate(BlockFormat.maxLength(ELEMENTS));
    private final Block block = new Block();

    /** Equation 10: elements above the threshold are sent, the others are kept. */
    @Test
    void sendsWhatIsAbove() {
        Property.holds(50, random -> {
            float threshold = (float) random.nextDouble(3);
            UpdateFilter filter = new ValueBoundedFilter(new ConstantThreshold(threshold), Kernels.preferred());
            float[] update = gaussian(random);
            MemorySegment residual = off(gaussian(random));
            float[] sums = residual.toArray(F32);
            int above = 0;
            for (int i = 0; i < ELEMENTS; i++) {
                sums[i] += update[i];
                above += Math.abs(sums[i]) > threshold ? 1 : 0;
                sums[i] = Math.abs(sums[i]) > threshold ? 0 : sums[i];
            }

            filter.filter(update, 0, residual, 0, ELEMENTS, 7, block.wrap(room, 0));

            assertArrayEquals(sums, residual.toArray(F32));
            assertEquals(block.format() == BlockFormat.DENSE ? ELEMENTS : above, block.count());
            assertEquals(threshold, filter.threshold(7));
        });
    }

    /** An update from an array, from a segment, or summed into the residual before gives the same bytes. */
    @Test
    void threeWaysIn() {
        SplittableRandom random = new SplittableRandom(1);
        float[] update = gaussian(random);
        float[] before = gaussian(random);
        float[] sums = before.clone();
        for (int i = 0; i < ELEMENTS; i++) {
            sums[i] += update[i];
        }
        UpdateFilter filter = new ValueBoundedFilter(new InverseSquareRoot(2), Kernels.preferred());

        filter.filter(update, 0, off(before), 0, ELEMENTS, 2, block.wrap(room, 0));
        byte[] fromArray = bytes();
        filter.filter(off(update), 0, off(before), 0, ELEMENTS, 2, block.wrap(room, 0));
        assertArrayEquals(fromArray, bytes());
        filter.encodeResidual(off(sums), 0, ELEMENTS, 2, block.wrap(room, 0));
        assertArrayEquals(fromArray, bytes());
    }

    @Test
    void atTheStartNothingIsHeldBack() {
        UpdateFilter filter = new ValueBoundedFilter(new InverseSquareRoot(1e9), Kernels.preferred());
        MemorySegment residual = off(gaussian(new SplittableRandom(4)));

        filter.encodeResidual(residual, 0, ELEMENTS, 0, block.wrap(room, 0));
        assertEquals(ELEMENTS, block.count());
        assertEquals(0, filter.threshold(0));
        assertArrayEquals(new float[ELEMENTS], residual.toArray(F32));
        MemorySegment.copy(off(gaussian(new SplittableRandom(5))), 0, residual, 0, 4L * ELEMENTS);
        filter.encodeResidual(residual, 0, ELEMENTS, 4, block.wrap(room, 0));
        assertEquals(0, block.count());
        assertEquals(5e8f, filter.threshold(4));
        assertEquals(0, filter.threshold(5), "nothing was filtered then");
    }

    @Test
    void refusesWhatIsNotThere() {
        UpdateFilter filter = new ValueBoundedFilter(new ConstantThreshold(1), Kernels.preferred());
        MemorySegment residual = off(new float[ELEMENTS]);
        block.wrap(room, 0);

        assertThrows(
                IndexOutOfBoundsException.class,
                () -> filter.filter(new float[ELEMENTS - 1], 0, residual, 0, ELEMENTS, 1, block));
        assertThrows(IndexOutOfBoundsException.class, () -> filter.encodeResidual(residual, 4, ELEMENTS, 1, block));
        MemorySegment onHeap = MemorySegment.ofArray(new float[ELEMENTS]);
        assertThrows(IllegalArgumentException.class, () -> filter.encodeResidual(onHeap, 0, ELEMENTS, 1, block));
    }

    private byte[] bytes() {
        return block.segment().asSlice(block.offset(), block.length()).toArray(ValueLayout.JAVA_BYTE);
    }

    private static float[] gaussian(SplittableRandom random) {
        float[] values = new float[ELEMENTS];
        for (int i = 0; i < ELEMENTS; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }

    private static MemorySegment off(float[] values) {
        MemorySegment segment = OffHeap.allocate(4L * values.length);
        MemorySegment.copy(values, 0, segment, F32, 0, values.length);
        return segment;
    }
}
