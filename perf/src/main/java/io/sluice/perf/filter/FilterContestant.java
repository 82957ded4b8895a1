package io.sluice.perf.filter;

import io.sluice.codecs.Block;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.ValueType;
import io.sluice.filter.SliceFilter;
import io.sluice.filter.kernel.Kernels;
import io.sluice.perf.race.Contestant;
import io.sluice.perf.race.Tally;
import io.sluice.perf.updates.OffHeapTable;
import io.sluice.perf.updates.TableShape;
import java.lang.foreign.MemorySegment;

/** The library's filter: to the shortest block, where a worker would have it, in a frame used again and again. */
final class FilterContestant implements Contestant {
    private final TableShape shape;
    private final OffHeapTable table;
    private final SliceFilter filter;
    private final FrameBuffer frame = FrameBuffer.forDataFrames(TableShape.SLICE);
    private final Block block = new Block();

    FilterContestant(TableShape shape, int thread, Kernels kernels, ValueType values) {
        this.shape = shape;
        filter = new SliceFilter(kernels, values);
        table = new OffHeapTable(shape, thread);
    }

    @Override
    public void pass(Tally tally) {
        MemorySegment update = table.next();
        for (int slice = 0; slice < shape.slices(); slice++) {
            slice(update, slice);
            tally.add(block.length(), block.count());
            tally.format(block.format().code());
        }
    }

    /** Filters one slice of an update of {@link #table} into {@link #frame}. */
    Block slice(MemorySegment update, int slice) {
        long offset = (long) slice * TableShape.SLICE * Float.BYTES;
        filter.filter(
                update,
                offset,
                table.residual(),
                offset,
                shape.sliceElements(slice),
                shape.threshold(),
                block.wrap(frame));
        return block;
    }

    OffHeapTable table() {
        return table;
    }

    FrameBuffer frame() {
        return frame;
    }
}
