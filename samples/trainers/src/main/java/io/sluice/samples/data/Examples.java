package io.sluice.samples.data;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.Checksum;

/**
 * Immutable labelled examples with sparse features, held as compressed sparse rows: three flat arrays for all rows
 * together, so that a pass over the examples is a pass over memory.
 *
 * <p>An <em>entry</em> is one stored feature of one row. The entries of row {@code r} are those from {@link #start
 * start(r)} up to, but not including, {@link #end end(r)}; their feature indices ascend.
 */
public final class Examples {

    private final int[] rowStart;
    private final int[] indices;
    private final float[] values;
    private final float[] labels;

    private Examples(Builder builder) {
        rowStart = Arrays.copyOf(builder.rowStart, builder.rows + 1);
        indices = Arrays.copyOf(builder.indices, builder.entries);
        values = Arrays.copyOf(builder.values, builder.entries);
        labels = Arrays.copyOf(builder.labels, builder.rows);
    }

    /** Returns the number of rows. */
    public int size() {
        return labels.length;
    }

    /** Returns the number of entries of all rows together. */
    public int entries() {
        return indices.length;
    }

    /** Returns the label of a row: 0 or 1. */
    public float label(int row) {
        return labels[row];
    }

    /** Returns the first entry of a row. */
    public int start(int row) {
        return rowStart[row];
    }

    /** Returns the entry after the last one of a row. */
    public int end(int row) {
        return rowStart[row + 1];
    }

    /** Returns an entry's feature, counted from 0. */
    public int index(int entry) {
        return indices[entry];
    }

    /** Returns an entry's value, which is finite. */
    public float value(int entry) {
        return values[entry];
    }

    /**
     * Returns the inner product of a row and dense weights.
     *
     * @param weights one weight for each feature
     */
    public float dot(int row, float[] weights) {
        float sum = 0;
        for (int entry = start(row); entry < end(row); entry++) {
            sum += values[entry] * weights[indices[entry]];
        }
        return sum;
    }

    /** Adds rows, entries and labels to a checksum. */
    void addTo(Checksum sum) {
        ByteBuffer four = ByteBuffer.allocate(Integer.BYTES);
        for (int row = 0; row < size(); row++) {
            sum.update(four.putInt(0, end(row)).array());
            sum.update(four.putFloat(0, labels[row]).array());
        }
        for (int entry = 0; entry < entries(); entry++) {
            sum.update(four.putInt(0, indices[entry]).array());
            sum.update(four.putFloat(0, values[entry]).array());
        }
    }

    /** Collects rows. Not safe for use by several threads. */
    static final class Builder {

        private int rows;
        private int entries;
        private int[] rowStart = new int[64];
        private int[] indices = new int[1024];
        private float[] values = new float[1024];
        private float[] labels = new float[64];

        /** Adds an entry to the row that the next {@link #endRow} closes; indices ascend within a row. */
        void add(int index, float value) {
            if (entries == indices.length) {
                indices = Arrays.copyOf(indices, 2 * entries);
                values = Arrays.copyOf(values, 2 * entries);
            }
            indices[entries] = index;
            values[entries] = value;
            entries++;
        }

        /** Closes a row. */
        void endRow(float label) {
            if (rows + 1 == rowStart.length) {
                rowStart = Arrays.copyOf(rowStart, 2 * rowStart.length);
                labels = Arrays.copyOf(labels, rowStart.length);
            }
            labels[rows] = label;
            rows++;
            rowStart[rows] = entries;
        }

        Examples build() {
            return new Examples(this);
        }
    }
}
