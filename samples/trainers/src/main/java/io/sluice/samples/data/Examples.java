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
        boolean isFull = builder.entries == builder.indices.length;
        indices = isFull ? builder.indices : Arrays.copyOf(builder.indices, builder.entries);
        values = isFull ? builder.values : Arrays.copyOf(builder.values, builder.entries);
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

    /** Returns the label of a row: the number of its class, from 0. */
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

    /** Returns a copy of the features for which a row has entries, in ascending order. */
    public int[] indices(int row) {
        return Arrays.copyOfRange(indices, start(row), end(row));
    }

    /** Returns a copy of the values of a row's entries. */
    public float[] values(int row) {
        return Arrays.copyOfRange(values, start(row), end(row));
    }

    /**
     * Returns the inner product of a row and dense weights.
     *
     * @param weights one weight for each feature, feature by feature
     * @param from index of the weight of the first feature
     */
    public double dot(int row, float[] weights, int from) {
        double sum = 0;
        for (int entry = start(row); entry < end(row); entry++) {
            sum += values[entry] * weights[from + indices[entry]];
        }
        return sum;
    }

    /**
     * Adds a multiple of a row to dense values.
     *
     * @param target one value for each feature, feature by feature
     * @param from index of the value of the first feature
     */
    public void addTo(int row, float factor, float[] target, int from) {
        for (int entry = start(row); entry < end(row); entry++) {
            target[from + indices[entry]] += factor * values[entry];
        }
    }

    /**
     * Returns each n-th row, starting with the first.
     *
     * @param n 1 or more; with 1, these examples themselves
     */
    public Examples each(int n) {
        if (n == 1) {
            return this;
        }
        Builder some = new Builder();
        for (int row = 0; row < size(); row += n) {
            for (int entry = start(row); entry < end(row); entry++) {
                some.add(indices[entry], values[entry]);
            }
            some.endRow(labels[row]);
        }
        return some.build();
    }

    float largestLabel() {
        float largest = 0;
        for (float label : labels) {
            largest = Math.max(largest, label);
        }
        return largest;
    }

    /** Adds rows, entries and labels to a checksum. */
    void addTo(Checksum sum) {
        ByteBuffer bytes = ByteBuffer.allocate(1 << 16);
        for (int row = 0; row < size(); row++) {
            bytes.putInt(end(row)).putFloat(labels[row]);
            flush(bytes, sum, false);
        }
        for (int entry = 0; entry < entries(); entry++) {
            bytes.putInt(indices[entry]).putFloat(values[entry]);
            flush(bytes, sum, false);
        }
        flush(bytes, sum, true);
    }

    private static void flush(ByteBuffer bytes, Checksum sum, boolean isEnd) {
        if (isEnd || !bytes.hasRemaining()) {
            sum.update(bytes.flip());
            bytes.clear();
        }
    }

    /** Collects rows. Not safe for use by several threads. */
    public static final class Builder {

        private int rows;
        private int entries;
        private int[] rowStart = new int[64];
        private int[] indices;
        private float[] values;
        private float[] labels = new float[64];

        /** Collects any number of rows. */
        public Builder() {
            this(1024);
        }

        /** Collects rows with an expected number of entries; more entries cost copies. */
        Builder(int expected) {
            indices = new int[expected];
            values = new float[expected];
        }

        /** Adds an entry to the row that the next {@link #endRow} closes; indices ascend within a row. */
        public void add(int index, float value) {
            if (entries == indices.length) {
                indices = Arrays.copyOf(indices, 2 * entries + 1);
                values = Arrays.copyOf(values, 2 * entries + 1);
            }
            indices[entries] = index;
            values[entries] = value;
            entries++;
        }

        /** Closes a row. */
        public void endRow(float label) {
            if (rows + 1 == rowStart.length) {
                rowStart = Arrays.copyOf(rowStart, 2 * rowStart.length);
                labels = Arrays.copyOf(labels, rowStart.length);
            }
            labels[rows] = label;
            rows++;
            rowStart[rows] = entries;
        }

        /** The rows that have been collected. */
        public Examples build() {
            return new Examples(this);
        }
    }
}
