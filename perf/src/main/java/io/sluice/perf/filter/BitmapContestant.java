package io.sluice.perf.filter;

import io.sluice.codecs.BlockFormat;
import io.sluice.codecs.FrameBuffer;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.kernel.ThresholdKernel;
import io.sluice.perf.race.Contestant;
import io.sluice.perf.race.Tally;
import io.sluice.perf.updates.OffHeapTable;
import io.sluice.perf.updates.TableShape;
import java.lang.foreign.MemorySegment;

/** The library's pass over memory alone: to a bitmap and f32 values behind it. */
final class BitmapContestant implements Contestant {
    private final TableShape shape;
    private final OffHeapTable table;
    private final ThresholdKernel kernel;
    private final FrameBuffer block = new FrameBuffer(BlockFormat.maxLength(TableShape.SLICE));

    BitmapContestant(TableShape shape, int thread, Kernels kernels) {
        this.shape = shape;
        this.kernel = kernels.split();
        table = new OffHeapTable(shape, thread);
    }

    @Override
    public void pass(Tally tally) {
        MemorySegment update = table.next();
        long bitmap = block.segment().address();
        for (int slice = 0; slice < shape.slices(); slice++) {
            int elements = shape.sliceElements(slice);
            int places = BlockFormat.bitmapLength(elements);
            long offset = (long) slice * TableShape.SLICE * Float.BYTES;
            int count = kernel.filter(
                    update.address() + offset,
                    table.residual().address() + offset,
                    elements,
                    shape.threshold(),
                    false,
                    bitmap,
                    bitmap + places);
            tally.add(places + (long) count * Float.BYTES, count);
            tally.format(BlockFormat.BITMAP.code());
        }
    }
}
