package io.sluice.perf.filter;

import io.sluice.perf.benchmark.Benchmark;
import io.sluice.perf.benchmark.Tally;
import io.sluice.perf.updates.OffHeapTable;
import io.sluice.perf.updates.TableShape;
import java.lang.foreign.MemorySegment;

/** Runs a step on each slice of a table outside the heap. */
final class SliceBenchmark implements Benchmark {
    private final TableShape shape;
    private final OffHeapTable table;
    private final Step step;

    /** The work on a slice. */
    @FunctionalInterface
    interface Step {
        /** Processes {@code elements} from a byte offset of update and residual on, and counts the result. */
        void run(MemorySegment update, MemorySegment residual, long offset, int elements, Tally tally);
    }

    SliceBenchmark(TableShape shape, OffHeapTable table, Step step) {
        this.shape = shape;
        this.table = table;
        this.step = step;
    }

    @Override
    public void pass(Tally tally) {
        MemorySegment update = table.next();
        MemorySegment residual = table.residual();
        for (int slice = 0; slice < shape.slices(); slice++) {
            long offset = (long) slice * TableShape.SLICE * Float.BYTES;
            step.run(update, residual, offset, shape.sliceElements(slice), tally);
        }
    }
}
