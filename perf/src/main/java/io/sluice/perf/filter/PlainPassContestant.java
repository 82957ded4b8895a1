package io.sluice.perf.filter;

import io.sluice.perf.race.Contestant;
import io.sluice.perf.race.Tally;
import io.sluice.perf.updates.OffHeapTable;
import io.sluice.perf.updates.TableShape;
import java.lang.foreign.MemorySegment;

/** {@code residual += 0.5 * update}: the yardstick. Makes nothing. */
final class PlainPassContestant implements Contestant {
    private static final float FACTOR = 0.5f;

    private final TableShape shape;
    private final OffHeapTable table;

    PlainPassContestant(TableShape shape, int thread) {
        this.shape = shape;
        table = new OffHeapTable(shape, thread);
    }

    @Override
    public void pass(Tally tally) {
        MemorySegment update = table.next();
        for (int slice = 0; slice < shape.slices(); slice++) {
            long offset = (long) slice * TableShape.SLICE * Float.BYTES;
            PlainPass.run(FACTOR, update, table.residual(), offset, shape.sliceElements(slice));
        }
    }

    /** What the update was added to. */
    MemorySegment residual() {
        return table.residual();
    }
}
