package io.sluice.consistency.worker;

import io.sluice.consistency.standard.Multicast;
import io.sluice.filter.spi.UpdateFilter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Pushes this worker's share of the mean of all replicas, for the slices of a matrix that are averaged in a clock: the
 * parameters divided by the number of workers, which servers add up.
 *
 * <p>For the trainer's thread. Allocates nothing between the first push and the last.
 */
final class Averaging extends TablePush {
    private final Multicast multicast;
    private final MemorySegment matrix;
    private final MemorySegment slice;
    private final int workers;

    /** Creates the pushes of the table that averages a factor table. */
    Averaging(Table table, Parts parts, UpdateFilter[] filters, FactorTable of) {
        super(table, parts, UpdateCheck.NONE, filters);
        this.multicast = of.peers().multicast();
        this.matrix = of.matrix();
        this.slice = table.residual();
        this.workers = parts.membership().plan().settings().workers();
    }

    @Override
    int firstSlice(long round) {
        return multicast.firstAveraged(round, table.spec().slices());
    }

    @Override
    int endSlice(long round) {
        return multicast.endAveraged(round, table.spec().slices());
    }

    @Override
    void pushSlice(int of, Update update, long round) {
        MemorySegment.copy(
                matrix, table.offset(of), slice, 0, (long) table.spec().sliceLength(of) * Float.BYTES);
        for (int i = 0; i < table.spec().sliceLength(of); i++) {
            float value = slice.getAtIndex(ValueLayout.JAVA_FLOAT, i);
            slice.setAtIndex(ValueLayout.JAVA_FLOAT, i, value / workers);
        }
        super.pushSlice(of, update, round);
    }

    @Override
    long offset(int of) {
        return 0;
    }

    /** Replaces the slices of a matrix that a version has averaged, which the version holds alone. */
    static void replace(Table mean, Multicast multicast, long version, MemorySegment matrix) {
        int slices = mean.spec().slices();
        int end = multicast.endAveraged(version, slices);
        for (int of = multicast.firstAveraged(version, slices); of < end; of++) {
            long bytes = (long) mean.spec().sliceLength(of) * Float.BYTES;
            MemorySegment.copy(mean.replica(), mean.offset(of), matrix, mean.offset(of), bytes);
            VectorBlocks.clear(mean.replica(), mean.offset(of), bytes);
        }
    }
}
