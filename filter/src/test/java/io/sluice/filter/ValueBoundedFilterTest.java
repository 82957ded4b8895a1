package io.sluice.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Block;
import io.sluice.codecs.BlockFormat;
import io.sluice.codecs.BlockValidator;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ValueBoundedFilterTest {
    private static final int MAX = 3000;
    private static final long RESIDUAL_OFFSET = 12;

    private final Set<BlockFormat> formatsSeen = EnumSet.noneOf(BlockFormat.class);

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nothingIsLost(boolean useVector) {
        Kernels kernels = useVector ? new VectorKernels() : new ScalarKernels();
        Property.holds(1500, random -> {
            int elements = random.nextInt(1, MAX);
            float threshold = densityThreshold(random);
            UpdateFilter filter = new ValueBoundedFilter(new ConstantThreshold(threshold), kernels);
            MemorySegment residual = Floats.room(RESIDUAL_OFFSET + 4L * elements, 0);
            MemorySegment update = MemorySegment.ofArray(new float[elements]);
            Floats.fillNormal(random, residual);
            Floats.fillNormal(random, update);
            float[] sums = new float[elements];
            for (int i = 0; i < elements; i++) {
                sums[i] = residual.get(Layout.F32, RESIDUAL_OFFSET + Layout.f32(i)) + update.get(Layout.F32, 4L * i);
            }
            Block block = new Block().wrap(Floats.room(8 + BlockFormat.maxLength(elements), 0), 8);

            filter.filter(update, 0, residual, RESIDUAL_OFFSET, elements, 1, block);
            assertConserved(sums, block, residual, threshold);

            // The server's side of it: what is left, drained with a lower threshold.
            float[] left = new float[elements];
            MemorySegment.copy(residual, Layout.F32, RESIDUAL_OFFSET, left, 0, elements);
            UpdateFilter finer = new ValueBoundedFilter(new ConstantThreshold(threshold / 4), kernels);
            finer.drain(residual, RESIDUAL_OFFSET, elements, 1, block.wrap(block.segment(), 8));
            assertConserved(left, block, residual, threshold / 4);
        });
        assertEquals(EnumSet.allOf(BlockFormat.class), formatsSeen);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyCountOfAShortSlice(boolean useVector) {
        Kernels kernels = useVector ? new VectorKernels() : new ScalarKernels();
        UpdateFilter exact = new ValueBoundedFilter(new ConstantThreshold(0), kernels);
        SplittableRandom random = new SplittableRandom(3);
        for (int elements = 1; elements <= 150; elements++) {
            for (int count = 0; count <= elements; count++) {
                float[] sums = new float[elements];
                for (int left = count, i = 0; i < elements; i++) {
                    boolean kept = random.nextInt(elements - i) < left;
                    sums[i] = kept ? i + 1.0f : 0.0f;
                    left -= kept ? 1 : 0;
                }
                MemorySegment residual = Floats.copyOf(MemorySegment.ofArray(sums.clone()), 0);
                MemorySegment shifted = Floats.room(RESIDUAL_OFFSET + 4L * elements, 0);
                MemorySegment.copy(residual, 0, shifted, RESIDUAL_OFFSET, 4L * elements);
                Block block = new Block().wrap(Floats.room(BlockFormat.maxLength(elements), 0), 0);

                exact.drain(shifted, RESIDUAL_OFFSET, elements, 1, block);
                assertConserved(sums, block, shifted, 0);
            }
        }
    }

    @Test
    void atTheStartNothingIsHeldBack() {
        UpdateFilter filter = new ValueBoundedFilter(new InverseSquareRoot(1e9), Kernels.preferred());
        MemorySegment residual = Floats.room(400, 0);
        Floats.fillNormal(new SplittableRandom(4), residual);
        Block block = new Block().wrap(Floats.room(BlockFormat.maxLength(100), 0), 0);

        filter.drain(residual, 0, 100, 1, block);
        assertEquals(0, block.count());
        filter.drain(residual, 0, 100, 0, block.wrap(block.segment(), 0));
        assertEquals(100, block.count());
        assertEquals(0.0f, Kernels.preferred().maxAbs(residual, 0, 100));
    }

    /**
     * A block holds what its format says, in the shortest format, and with the residual adds up to the sums, bit by
     * bit.
     */
    private void assertConserved(float[] sums, Block block, MemorySegment residual, float threshold) {
        int elements = sums.length;
        int kept = 0;
        for (float sum : sums) {
            kept += Math.abs(sum) > threshold ? 1 : 0;
        }
        BlockFormat cheapest = BlockFormat.cheapest(elements, kept);
        formatsSeen.add(cheapest);
        assertEquals(cheapest, block.format());
        assertEquals(elements, block.elements());
        assertEquals(cheapest == BlockFormat.DENSE ? elements : kept, block.count());
        assertEquals(cheapest.length(elements, block.count()), block.length());
        assertNull(BlockValidator.validate(block.segment(), block.offset(), cheapest, elements, block.count()));
        MemorySegment emitted = emitted(block);
        for (int i = 0; i < elements; i++) {
            float sent = emitted.get(Layout.F32, Layout.f32(i));
            float left = residual.get(Layout.F32, RESIDUAL_OFFSET + Layout.f32(i));
            boolean above = Math.abs(sums[i]) > threshold;
            assertEquals(Float.floatToRawIntBits(sums[i]), Float.floatToRawIntBits(above ? sent : left));
            assertEquals(0, Float.floatToRawIntBits(above ? left : sent));
            assertTrue(Math.abs(left) <= threshold);
        }
    }

    /** What a receiver makes of a block, by the scalar kernels, on a target of zeros. */
    private static MemorySegment emitted(Block block) {
        MemorySegment target = Floats.room(4L * block.elements(), 0);
        Kernels kernels = new ScalarKernels();
        MemorySegment bytes = block.segment();
        long places = block.offset();
        long values = places + block.format().valuesOffset(block.elements(), block.count());
        switch (block.format()) {
            case DENSE -> kernels.addDense(bytes, values, block.elements(), target, 0);
            case BITMAP -> kernels.addBitmap(bytes, places, values, block.count(), block.elements(), target, 0);
            case INDEX -> kernels.addIndex(bytes, places, values, block.count(), target, 0);
            default -> throw new AssertionError(block.format());
        }
        return target;
    }

    /** Anything from a threshold that keeps all to one that keeps none, with the ends often. */
    private static float densityThreshold(SplittableRandom random) {
        return switch (random.nextInt(5)) {
            case 0 -> 0.0f;
            case 1 -> (float) (random.nextDouble() * 0.05);
            case 2 -> 2.2f + (float) random.nextDouble() * 3;
            default -> (float) random.nextDouble() * 3;
        };
    }
}
