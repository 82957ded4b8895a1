package io.sluice.consistency.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.OffHeap;
import io.sluice.codecs.Property;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.filter.SliceFilter;
import io.sluice.filter.kernel.Kernels;
import io.sluice.messaging.outbox.SliceOrders;
import io.sluice.messaging.spi.SliceOrder;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SliceRankerTest {
    private static final int ELEMENTS = 1_000;

    private final Kernels kernels = Kernels.preferred();
    private final SliceOrder order = SliceOrders.named("magnitude");
    private final SliceRanker ranker = new SliceRanker(order, kernels, ELEMENTS);

    /** The rank is the sum of the magnitudes in the block, in each format, up to the rounding of its value type. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "LEVELS")
    void magnitudeIsTheSumOfThoseOfAllValues(ValueType type) {
        Property.holds(1, random -> {
            Set<BlockFormat> seen = EnumSet.noneOf(BlockFormat.class);
            SliceFilter filter = new SliceFilter(kernels, type, ELEMENTS, 0);
            FrameBuffer frame = FrameBuffer.forDataFrames(ELEMENTS);
            MemorySegment residual = OffHeap.allocate(ELEMENTS * Float.BYTES);
            for (int run = 0; run < 300; run++) {
                float[] update = new float[ELEMENTS];
                double density = Math.pow(10, random.nextDouble(-3, 0.1));
                float sum = 0;
                for (int i = 0; i < ELEMENTS; i++) {
                    update[i] = random.nextDouble() < density ? random.nextInt(-8, 9) * 0.125f : 0;
                    sum += Math.abs(update[i]);
                }
                residual.fill((byte) 0);
                Block block = frame.room(new Block());
                filter.filter(update, 0, residual, 0, ELEMENTS, 0, block);
                seen.add(block.format());
                long expected = order.rank(new SliceOrder.Urgency().change(sum, 0));
                long rank = ranker.rank(block, 0, 0, 1, 0);
                long tolerance = type == ValueType.LOG8 ? 1 << 19 : 0; // in bits of the magnitude: one sixteenth
                assertTrue(Math.abs(rank - expected) <= tolerance, type + ": " + rank + " for " + sum);
            }
            assertTrue(seen.size() > 2, "formats seen: " + seen);
        });
    }

    @Test
    void anOrderWithoutMagnitudesReadsNoValues() {
        SliceRanker layers = new SliceRanker(SliceOrders.named("layer"), kernels, ELEMENTS);
        Block nowhere = new Block().set(BlockFormat.DENSE, ValueType.F32, ELEMENTS, ELEMENTS, ELEMENTS * Float.BYTES);
        assertEquals(3, layers.rank(nowhere, 3, 7, 1, 0));
    }
}
