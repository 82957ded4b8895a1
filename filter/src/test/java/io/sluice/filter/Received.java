package io.sluice.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.codecs.OffHeap;
import io.sluice.codecs.RiceDeltas;
import io.sluice.codecs.RunBoundaries;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.filter.kernel.IndicesKernel;
import io.sluice.filter.kernel.Kernels;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The content of a block, element by element, read in the simplest way but for its values. */
final class Received {
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED;

    private Received() {}

    /** The value of every element, 0 where the block has none. */
    static MemorySegment values(Block block) {
        int count = block.count();
        MemorySegment all = Floats.room(4L * block.elements(), 0);
        if (count == 0) {
            return all;
        }
        int indicesLength = RiceDeltas.indicesLength(block.format(), OffHeap.address(block), block.elements(), count);
        MemorySegment values = Floats.room(4L * count + 64, 0);
        Kernels.scalar()
                .values()
                .decode(block.values(), OffHeap.address(block) + indicesLength, count, values.address());
        int[] indices = indices(block);
        for (int k = 0; k < count; k++) {
            all.setAtIndex(ValueLayout.JAVA_FLOAT, indices[k], values.getAtIndex(ValueLayout.JAVA_FLOAT, k));
        }
        return all;
    }

    private static int[] indices(Block block) {
        int[] indices = new int[block.count()];
        MemorySegment bytes = block.segment().asSlice(block.offset(), block.length());
        int next = 0;
        if (block.format() == BlockFormat.DELTA) {
            long slack = IndicesKernel.SLACK;
            MemorySegment deltas =
                    Floats.room(2L * indices.length + 2 * slack, 0).asSlice(slack);
            Kernels.scalar().indices().unpackDeltas(OffHeap.address(block), indices.length, deltas.address());
            int previous = -1;
            for (; next < indices.length; next++) {
                previous += 1 + Short.toUnsignedInt(deltas.get(U16, 2L * next));
                indices[next] = previous;
            }
            return indices;
        }
        if (block.format() == BlockFormat.RUNS) {
            return indicesOfRuns(block);
        }
        for (int i = 0; next < indices.length; i++) {
            switch (block.format()) {
                case DENSE -> indices[next++] = i;
                case INDEX -> indices[next++] = Short.toUnsignedInt(bytes.get(U16, 2L * i));
                default -> {
                    if ((bytes.get(U64, i / 64 * 8L) >>> i & 1) != 0) {
                        indices[next++] = i;
                    }
                }
            }
        }
        return indices;
    }

    private static int[] indicesOfRuns(Block block) {
        long column = OffHeap.address(block);
        int boundaries = RunBoundaries.count(column);
        long slack = IndicesKernel.SLACK;
        MemorySegment deltas = Floats.room(2L * boundaries + 2 * slack, 0).asSlice(slack);
        Kernels.scalar().indices().unpackDeltas(column + RunBoundaries.HEADER_LENGTH, boundaries, deltas.address());
        int[] indices = new int[block.count()];
        int next = 0;
        int boundary = -1;
        int begin = 0;
        for (int k = 0; k <= boundaries; k++) {
            boundary = k < boundaries ? boundary + 1 + Short.toUnsignedInt(deltas.get(U16, 2L * k)) : block.elements();
            for (int i = begin; k % 2 == 1 && i < boundary; i++) {
                indices[next++] = i;
            }
            begin = boundary;
        }
        assertEquals(indices.length, next, "elements in runs");
        return indices;
    }
}
