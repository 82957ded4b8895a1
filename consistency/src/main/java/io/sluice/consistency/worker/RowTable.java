package io.sluice.consistency.worker;

import io.sluice.consistency.terms.TableSpec;
import java.util.function.IntConsumer;

/**
 * A table that several trainer threads of a {@link RowClient} read and change, row by row. A read never has half of an
 * increment or of a broadcast, unless the row is in two slices; then it may have one slice of the next version.
 */
public final class RowTable {
    /**
     * Number of failed reads before the thread waits: the agent writes a slice in microseconds, but pushes in
     * milliseconds.
     */
    private static final int TRIES = 256;

    private final Table table;
    private final TableSpec spec;
    private final RowBuffer buffer;
    private final SliceSequences sequences;
    private final boolean readsOwn;

    /** Slices whose sequence number stays odd until own writes are in the copy that is read, and their number. */
    private final int[] held;

    private int holds;

    /** Called with slices; made once because a lambda allocates. */
    private final IntConsumer hold = this::hold;

    private final IntConsumer moved = this::moved;
    private volatile long version = -1;

    RowTable(Table table, boolean readsOwn) {
        this.table = table;
        this.spec = table.spec();
        this.readsOwn = readsOwn;
        this.buffer = new RowBuffer(spec);
        this.sequences = new SliceSequences(spec.slices());
        this.held = new int[readsOwn && table.read() != table.replica() ? spec.slices() : 0];
        table.share(sequences);
    }

    /**
     * Name, shape and slices.
     *
     * @return the spec
     */
    public TableSpec spec() {
        return spec;
    }

    /**
     * The parameters, for the thread that owns the worker, when no other threads run.
     *
     * @return what {@link Table#view()} returns
     */
    public FloatView view() {
        return table.view();
    }

    /**
     * Waits until the table is as fresh as the consistency rule demands at the clock of the thread, and copies one row.
     *
     * @param thread calling thread
     * @param row    row from 0
     * @param target receives one float per column
     * @throws IllegalArgumentException if the array has another length
     * @throws IndexOutOfBoundsException if the row does not exist
     * @throws java.util.concurrent.CancellationException if the cluster or another thread fails meanwhile
     */
    public void getRow(RowClient.TrainerThread thread, int row, float[] target) {
        requireRow(row);
        requireLength(row, target.length);
        thread.awaitVersion(this);
        long start = (long) row * spec.columns();
        int first = (int) (start / spec.sliceElements());
        int last = (int) ((start + spec.columns() - 1) / spec.sliceElements());
        int[] numbers = thread.numbers();
        for (int attempt = 1; !tryGet(row, start, target, numbers, first, last); attempt++) {
            if (attempt < TRIES) {
                Thread.onSpinWait();
            } else {
                thread.idle();
            }
        }
    }

    private boolean tryGet(int row, long start, float[] target, int[] numbers, int first, int last) {
        for (int slice = first; slice <= last; slice++) {
            numbers[slice - first] = sequences.number(slice);
        }
        table.view().copyTo(start, target);
        if (readsOwn) {
            buffer.addTo(row, target);
        }
        for (int slice = first; slice <= last; slice++) {
            if (!sequences.isSame(slice, numbers[slice - first])) {
                return false;
            }
        }
        return true;
    }

    /**
     * Adds to one row, for the update of the open iteration.
     *
     * @param row    row from 0
     * @param deltas one finite float per column
     * @throws IllegalArgumentException if the array has another length, or a value is not finite; nothing is added then
     * @throws IndexOutOfBoundsException if the row does not exist
     */
    public void incRow(int row, float[] deltas) {
        requireRow(row);
        requireLength(row, deltas.length);
        requireFinite(row, deltas, deltas.length);
        buffer.add(row, deltas);
    }

    /**
     * Adds to few columns of a row, for the update of the open iteration.
     *
     * @param row     row from 0
     * @param columns columns from 0; values of one that occurs twice add up
     * @param deltas  a finite float for each of these columns
     * @param count   number of columns
     * @throws IllegalArgumentException if a value is not finite; nothing is added then
     * @throws IndexOutOfBoundsException if the row or a column does not exist, or an array is shorter than
     *     {@code count}; nothing is added then
     */
    public void incRow(int row, int[] columns, float[] deltas, int count) {
        requireRow(row);
        requireFinite(row, deltas, count);
        for (int i = 0; i < count; i++) {
            if (columns[i] < 0 || columns[i] >= spec.columns()) {
                throw new IndexOutOfBoundsException("columns[" + i + "] of table " + spec.name() + " is " + columns[i]
                        + ", expected 0 to " + (spec.columns() - 1));
            }
        }
        buffer.add(row, columns, deltas, count);
    }

    private void requireRow(int row) {
        if (row < 0 || row >= spec.rows()) {
            throw new IndexOutOfBoundsException(
                    "table " + spec.name() + " has no row " + row + ", expected 0 to " + (spec.rows() - 1));
        }
    }

    private void requireLength(int row, int length) {
        if (length != spec.columns()) {
            throw new IllegalArgumentException("row " + row + " of table " + spec.name() + " has " + spec.columns()
                    + " columns, expected that many floats in the array, which has " + length);
        }
    }

    private void requireFinite(int row, float[] deltas, int count) {
        for (int i = 0; i < count; i++) {
            if (!Float.isFinite(deltas[i])) {
                throw new IllegalArgumentException("the increment of row " + row + " of table " + spec.name()
                        + " has the value " + deltas[i] + ", expected finite numbers");
            }
        }
    }

    /** The table that the agent owns. */
    Table table() {
        return table;
    }

    /** The version that threads may read. */
    long version() {
        return version;
    }

    /** Publishes the table's current version to the trainer threads. */
    void publish() {
        long arrived = table.version();
        if (arrived != version) {
            table.ownWrites().refresh(); // the threads' copy must be up to date before its version is published
            version = arrived;
        }
    }

    /** Maximum number of slices that a row spans. */
    int slicesOfRow() {
        return Math.min(spec.slices(), (spec.columns() - 1) / spec.sliceElements() + 2);
    }

    /** Moves the increments of all threads to the residual. */
    void collect() {
        buffer.move(table.residual(), hold, moved);
    }

    private void hold(int slice) {
        if (held.length > 0) {
            sequences.begin(slice);
            held[holds++] = slice;
        }
    }

    private void moved(int slice) {
        table.push().changed(slice);
    }

    /** Ends the writes that collecting began: refreshes the copy that threads read, then lets them read held slices. */
    void release() {
        if (holds > 0) {
            table.ownWrites().refresh();
        }
        while (holds > 0) {
            sequences.end(held[--holds]);
        }
    }
}
