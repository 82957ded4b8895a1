package io.sluice.perf.filter;

import io.sluice.codecs.BlockFormat;
import io.sluice.perf.race.Contestant;
import io.sluice.perf.race.Tally;
import io.sluice.perf.updates.HeapTable;
import io.sluice.perf.updates.TableShape;

/** {@link BranchingLoop} over arrays, with the columns of a bitmap block as a result. */
final class BranchingContestant implements Contestant {
    private final TableShape shape;
    private final HeapTable table;
    private final long[] bitmap = new long[TableShape.SLICE / Long.SIZE];
    private final float[] values = new float[TableShape.SLICE];

    BranchingContestant(TableShape shape, int thread) {
        this.shape = shape;
        table = new HeapTable(shape, thread);
    }

    @Override
    public void pass(Tally tally) {
        float[] update = table.next();
        for (int slice = 0; slice < shape.slices(); slice++) {
            int elements = shape.sliceElements(slice);
            int count = BranchingLoop.filter(
                    update, table.residual(), slice * TableShape.SLICE, elements, shape.threshold(), bitmap, values);
            tally.add(elements / Byte.SIZE + (long) count * Float.BYTES, count);
            tally.format(BlockFormat.BITMAP.code());
        }
    }
}
