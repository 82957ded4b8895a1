package io.sluice.perf.codecs;

import io.sluice.codecs.OffHeap;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.kernel.ValuesKernel;
import io.sluice.perf.updates.OffHeapTable;
import io.sluice.perf.updates.TableShape;
import java.lang.foreign.MemorySegment;

/**
 * A few slices as the filter's pass over memory leaves them, at the clock when the residual has settled: a bitmap and
 * the values kept, in f32. They are used in turn, so that no branch predictor memorises one. All fit a cache, as does
 * the slice that a worker has just filtered.
 */
final class FilteredSlices {
    /** Maximum number of slices. */
    static final int MOST = 32;

    private static final long BITMAP_LENGTH = BlockFormat.bitmapLength(TableShape.SLICE);
    private static final long VALUES_LENGTH = (long) TableShape.SLICE * Float.BYTES + ValuesKernel.SLACK;

    private final TableShape shape;
    private final MemorySegment memory;
    private final int[] counts;

    /**
     * Filters the slices.
     *
     * @param bf16 whether to round the kept values to bfloat16
     */
    FilteredSlices(TableShape shape, boolean bf16) {
        this.shape = shape;
        counts = new int[shape.slices()];
        memory = OffHeap.allocate(counts.length * (BITMAP_LENGTH + VALUES_LENGTH));
        Kernels kernels = Kernels.preferred();
        try (OffHeapTable table = new OffHeapTable(shape, 0)) {
            for (int clock = 0; clock <= shape.clocks(); clock++) {
                MemorySegment update = table.next();
                for (int slice = 0; slice < counts.length; slice++) {
                    long offset = (long) slice * TableShape.SLICE * Float.BYTES;
                    counts[slice] = kernels.split()
                            .filter(
                                    update.address() + offset,
                                    table.residual().address() + offset,
                                    elements(slice),
                                    shape.threshold(),
                                    bf16,
                                    bitmap(slice),
                                    values(slice));
                }
            }
        }
    }

    int size() {
        return counts.length;
    }

    int elements(int slice) {
        return shape.sliceElements(slice);
    }

    /** Number of kept values of a slice. */
    int count(int slice) {
        return counts[slice];
    }

    /** Address of a slice's bitmap. */
    long bitmap(int slice) {
        return memory.address() + slice * (BITMAP_LENGTH + VALUES_LENGTH);
    }

    /** Address of a slice's values, with the slack after them that kernels need. */
    long values(int slice) {
        return bitmap(slice) + BITMAP_LENGTH;
    }
}
