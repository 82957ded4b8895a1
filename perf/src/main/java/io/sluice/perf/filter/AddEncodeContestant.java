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

/** The server's way: slice by slice, adds a dense update to the sum, and encodes the sum in place. */
final class AddEncodeContestant implements Contestant {
    private final TableShape shape;
    private final OffHeapTable table;
    private final SliceFilter filter;
    private final FrameBuffer frame = FrameBuffer.forDataFrames(TableShape.SLICE);
    private final Block block = new Block();

    AddEncodeContestant(TableShape shape, int thread, Kernels kernels, ValueType values) {
        this.shape = shape;
        filter = new SliceFilter(kernels, values);
        table = new OffHeapTable(shape, thread);
    }

    @Override
    public void pass(Tally tally) {
        MemorySegment update = table.next();
        for (int slice = 0; slice < shape.slices(); slice++) {
            long offset = (long) slice * TableShape.SLICE * Float.BYTES;
            int elements = shape.sliceElements(slice);
            PlainPass.run(1, update, table.residual(), offset, elements);
            filter.encodeResidual(table.residual(), offset, elements, shape.threshold(), block.wrap(frame));
            tally.add(block.length(), block.count());
            tally.format(block.format().code());
        }
    }
}
