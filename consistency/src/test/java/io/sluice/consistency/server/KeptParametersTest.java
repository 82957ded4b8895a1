package io.sluice.consistency.server;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.OffHeap;
import io.sluice.codecs.Property;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.filter.BlockAccumulator;
import io.sluice.filter.SliceFilter;
import io.sluice.filter.kernel.Kernels;
import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class KeptParametersTest {
    private static final int SLICE = 50;
    private static final int[] OWNED = {1, 4};

    private final Kernels kernels = Kernels.preferred();

    /** What an order compares a change with is at most 15 rounds old, however seldom it asks. */
    @Tag("slow")
    @Test
    void magnitudesFollowTheSumOfAllBlocksWithinSixteenRounds() {
        Property.holds(5, random -> {
            TableSpec spec = new TableSpec(0, "w", 6, SLICE, SLICE);
            KeptParameters kept = new KeptParameters(spec, OWNED, new BlockAccumulator(kernels), kernels);
            SliceFilter filter = new SliceFilter(kernels, ValueType.F32, SLICE, 0);
            FrameBuffer frame = FrameBuffer.forDataFrames(SLICE);
            MemorySegment residual = OffHeap.allocate((long) SLICE * Float.BYTES);
            float[][] sums = new float[OWNED.length][SLICE];
            float[][] before = new float[OWNED.length][200];
            for (int round = 0; round < 200; round++) {
                for (int position = 0; position < OWNED.length; position++) {
                    int at = position;
                    float[] change = new float[SLICE];
                    change[random.nextInt(SLICE)] = random.nextInt(-8, 9);
                    Block block = frame.room(new Block());
                    filter.filter(change, 0, residual, 0, SLICE, 0, block);
                    kept.add(position, round, block);
                    float sum = 0;
                    for (int i = 0; i < SLICE; i++) {
                        sums[position][i] += change[i];
                        sum += Math.abs(sums[position][i]); // whole numbers: exact in any order
                    }
                    before[position][round] = sum;
                    if (random.nextInt(4) == 0) {
                        float magnitude = kept.magnitude(position, round);
                        boolean recent = IntStream.rangeClosed(Math.max(0, round - 15), round)
                                .anyMatch(each -> before[at][each] == magnitude);
                        assertTrue(recent, "position " + position + ", round " + round + ": " + magnitude);
                    }
                }
            }
            assertTrue(before[0][199] > 0 && before[1][199] > 0);
        });
    }
}
