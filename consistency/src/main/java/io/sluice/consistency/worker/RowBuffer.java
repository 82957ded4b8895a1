package io.sluice.consistency.worker;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.sluice.codecs.OffHeap;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.TableSpec;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.IntConsumer;

/**
 * The increments of several threads that are not in the residual yet. Any thread may add; one thread moves increments
 * out. Allocates nothing after construction.
 */
final class RowBuffer {
    private static final int STRIPES = 1_024;

    /** Bits are 16 ints apart, so that no two share a cache line. */
    private static final int STRIDE = 16;

    /** Number of attempts to take a bit before the thread yields: the holder of the bit may wait for a core. */
    private static final int SPINS = 128;

    private static final VarHandle INT = MethodHandles.arrayElementVarHandle(int[].class);
    private static final VarHandle LONG = MethodHandles.arrayElementVarHandle(long[].class);

    private final TableSpec spec;
    private final int columns;
    private final MemorySegment values;
    private final int[] stripes = new int[STRIPES * STRIDE];

    /** A bit for each slice that may have increments. */
    private final long[] touched;

    RowBuffer(TableSpec spec) {
        this.spec = spec;
        this.columns = spec.columns();
        this.values = OffHeap.allocate(spec.elements() * Float.BYTES);
        this.touched = new long[(spec.slices() + Long.SIZE - 1) / Long.SIZE];
    }

    private void lock(int row) {
        int stripe = row % STRIPES * STRIDE;
        for (int attempt = 1; !INT.compareAndSet(stripes, stripe, 0, 1); attempt++) {
            if (attempt % SPINS == 0) {
                Thread.yield();
            }
            Thread.onSpinWait();
        }
    }

    private void unlock(int row) {
        INT.setRelease(stripes, row % STRIPES * STRIDE, 0);
    }

    /** Adds one finite float per column. */
    void add(int row, float[] deltas) {
        long start = (long) row * columns * Float.BYTES;
        lock(row);
        try {
            for (int column = 0; column < columns; column++) {
                long at = start + (long) column * Float.BYTES;
                values.set(JAVA_FLOAT, at, values.get(JAVA_FLOAT, at) + deltas[column]);
            }
            touch((long) row * columns, (long) (row + 1) * columns - 1);
        } finally {
            unlock(row);
        }
    }

    /**
     * Adds deltas to columns of a row. The caller has checked that the row and the columns exist and that the deltas
     * are finite.
     */
    void add(int row, int[] at, float[] deltas, int count) {
        lock(row);
        try {
            for (int i = 0; i < count; i++) {
                long element = (long) row * columns + at[i];
                values.set(
                        JAVA_FLOAT, element * Float.BYTES, values.get(JAVA_FLOAT, element * Float.BYTES) + deltas[i]);
                touch(element, element);
            }
        } finally {
            unlock(row);
        }
    }

    /**
     * Marks the slices of a run of elements. The caller holds the bit of their row: if {@link #move} has cleared a mark
     * and taken the row before, the mark is read as cleared.
     */
    private void touch(long first, long last) {
        int end = (int) (last / spec.sliceElements());
        for (int slice = (int) (first / spec.sliceElements()); slice <= end; slice++) {
            long bit = 1L << slice;
            if (((long) LONG.getOpaque(touched, slice / Long.SIZE) & bit) == 0) {
                LONG.getAndBitwiseOr(touched, slice / Long.SIZE, bit);
            }
        }
    }

    /** Adds the increments of a row to a copy of the row. */
    void addTo(int row, float[] target) {
        long start = (long) row * columns * Float.BYTES;
        lock(row);
        for (int column = 0; column < columns; column++) {
            target[column] += values.get(JAVA_FLOAT, start + (long) column * Float.BYTES);
        }
        unlock(row);
    }

    /**
     * Moves all increments to the residual.
     *
     * @param before called with each slice before its increments move
     * @param after called with each slice after its increments have moved
     */
    void move(MemorySegment residual, IntConsumer before, IntConsumer after) {
        for (int word = 0; word < touched.length; word++) {
            long slices = (long) LONG.getOpaque(touched, word) == 0 ? 0 : (long) LONG.getAndSet(touched, word, 0L);
            while (slices != 0) {
                int slice = word * Long.SIZE + Long.numberOfTrailingZeros(slices);
                slices &= slices - 1;
                before.accept(slice);
                moveSlice(slice, residual);
                after.accept(slice);
            }
        }
    }

    private void moveSlice(int slice, MemorySegment residual) {
        long end = spec.sliceStart(slice) + spec.sliceLength(slice);
        for (long from = spec.sliceStart(slice); from < end; ) {
            int row = (int) (from / columns);
            long to = Math.min(end, (long) (row + 1) * columns);
            lock(row);
            try {
                for (long at = from; at < to; at++) {
                    float sum = residual.getAtIndex(JAVA_FLOAT, at) + values.getAtIndex(JAVA_FLOAT, at);
                    if (!Float.isFinite(sum)) {
                        throw new ClusterException(
                                Failure.NOT_FINITE,
                                "the increments of row " + row + ", column " + at % columns + " of table " + spec.name()
                                        + " add up to " + sum + ", expected finite numbers");
                    }
                    residual.setAtIndex(JAVA_FLOAT, at, sum);
                    values.setAtIndex(JAVA_FLOAT, at, 0);
                }
            } finally {
                unlock(row);
            }
            from = to;
        }
    }
}
