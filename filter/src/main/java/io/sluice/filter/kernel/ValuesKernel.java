package io.sluice.filter.kernel;

import io.sluice.codecs.api.ValueType;

/**
 * Columns of values: from f32 and back. All memory is native. {@link ValueType} and docs/protocol.md describe the
 * columns.
 */
public interface ValuesKernel {
    /**
     * Number of bytes after a column or an array of values that a method may read, or use as scratch space if it
     * writes.
     */
    int SLACK = 64;

    /**
     * Encodes values. For BF16 and BF16_PACKED they must have been rounded to bfloat16 already, as {@link
     * ThresholdKernel} does: the lower halves are left out.
     *
     * @param type type of the column, not LEVELS, which {@link LevelsKernel} encodes; of a packed type the column is
     *     written even if it is longer than the plain one
     * @param values address of the first f32, followed by {@link #SLACK} readable bytes
     * @param count number of values, 1 or more
     * @param column address to write to, must not overlap the values; {@link #SLACK} bytes after it are scratch space
     * @return length of the column in bytes
     */
    int encode(ValueType type, long values, int count, long column);

    /**
     * Decodes a valid column.
     *
     * @param type type of the column
     * @param column address of its first byte
     * @param count number of values, 1 or more
     * @param values address of the first f32, must not overlap the column; {@link #SLACK} bytes after the last are
     *     scratch space
     */
    void decode(ValueType type, long column, int count, long values);

    /**
     * Replaces values by their rounding error: {@code values[k] -= coded[k]}, or -0.0, the neutral element of addition,
     * where both are equal (also if infinite).
     *
     * @param coded address of the first f32 that is sent
     * @param count number of values
     * @param values address of the first f32 that was meant
     */
    void subtract(long coded, int count, long values);

    /**
     * The largest magnitude. Magnitudes are compared as bit patterns without the sign, in which a NaN is larger than
     * infinity; so the result is a NaN if there is any, and is finite exactly if all values are.
     *
     * @param values address of the first
     * @param count 0 or more
     * @return the largest magnitude, 0 for no values
     */
    float maxAbs(long values, int count);

    /**
     * The largest magnitude in an array.
     *
     * @param values array holding them
     * @param from index of the first
     * @param count 0 or more
     * @return the largest magnitude, 0 for no values
     */
    float maxAbs(float[] values, int from, int count);
}
