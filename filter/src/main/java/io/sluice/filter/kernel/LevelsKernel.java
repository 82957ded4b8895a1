package io.sluice.filter.kernel;

/**
 * The operations of quantisers: statistics of a group of values, the numbers that encode the values, and columns of
 * {@link io.sluice.codecs.Levels}. All memory is native, values are finite. Numbers are i32.
 *
 * <p>Sums do not depend on the width of a register: there are {@link #SUMS} of them, each of every 16th value in
 * order, and the caller adds them up.
 */
public interface LevelsKernel {
    /** Number of sums of each kind that {@link #sums} makes. */
    int SUMS = 16;

    /** Number of bytes after numbers or a column that a method may write as scratch space. */
    int SLACK = 64;

    /**
     * Sums over {@code c = min(|v|, clip) * factor}.
     *
     * @param values address of the first value v
     * @param count number of values
     * @param clip greatest magnitude that counts
     * @param factor power of two
     * @param sums address of the result: {@link #SUMS} f32 sums of c for values v that are 0 or more, as many for
     *     values below 0, and as many sums of c squared
     * @return number of values below 0, and, shifted left by 32, of those that are not 0
     */
    long sums(long values, int count, float clip, float factor, long sums);

    /**
     * The numbers of two-valued levels: 0 for a value below 0, otherwise 1.
     *
     * @param values address of the first value
     * @param count number of values
     * @param numbers address of the first number
     */
    void signs(long values, int count, long numbers);

    /**
     * Rounds at random to whole levels, such that the expected number is {@code v * factor * levels}, at most {@code
     * most} in magnitude.
     *
     * @param values address of the first value v
     * @param count number of values
     * @param factor power of two
     * @param levels levels for each unit of {@code v * factor}
     * @param most greatest level
     * @param key key of the random numbers, see {@link Draws}
     * @param first counter of the first value's random number
     * @param numbers address of the first number
     */
    void draw(long values, int count, float factor, float levels, int most, long key, int first, long numbers);

    /**
     * Packs numbers as those of a column.
     *
     * @param kind kind of the column
     * @param width width of a number in bits
     * @param numbers address of the first number
     * @param count number of numbers, 1 or more
     * @param target address to write to; {@link #SLACK} bytes after the packed numbers are scratch space
     */
    void pack(int kind, int width, long numbers, int count, long target);

    /**
     * Decodes a valid column.
     *
     * @param column address of its first byte
     * @param count number of values, 1 or more
     * @param values address of the first f32, must not overlap the column; {@link #SLACK} bytes after the last are
     *     scratch space
     */
    void decode(long column, int count, long values);
}
