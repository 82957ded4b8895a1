package io.sluice.codecs.spi;

import io.sluice.codecs.RiceDeltas;
import io.sluice.codecs.RunBoundaries;
import io.sluice.codecs.api.ValueType;

/**
 * How a block encodes which elements of its slice have values.
 *
 * <p>A block has up to two columns, little endian: the indices (none, a bitmap, a list, or Rice-coded deltas or runs),
 * then the values in ascending order of their indices, encoded as the {@link ValueType} defines. The second column
 * follows the first without padding, and both begin at a multiple of 4 bytes from the block's first byte. Every format
 * can be combined with every value type.
 *
 * <table>
 * <caption>Index column of a block of a slice of {@code e} elements with {@code c} values</caption>
 * <tr><th>format</th><th>indices</th><th>values</th></tr>
 * <tr><td>EMPTY</td><td>none</td><td>none, c = 0</td></tr>
 * <tr><td>DENSE</td><td>none</td><td>c = e</td></tr>
 * <tr><td>BITMAP</td><td>ceil(e / 64) x u64; bit i % 64 of word i / 64 is set if element i has a value; bits from e on
 *     are 0</td> <td>c</td></tr>
 * <tr><td>INDEX</td><td>c x u16, strictly ascending, below e; one u16 of 0 if c is odd</td><td>c</td></tr>
 * <tr><td>DELTA</td><td>{@link RiceDeltas}</td><td>c</td></tr>
 * <tr><td>RUNS</td><td>{@link RunBoundaries}</td><td>c</td></tr>
 * </table>
 */
public enum BlockFormat {
    /** Every element has a value. */
    DENSE(1),
    /** One bit for each element. */
    BITMAP(2),
    /** The index of each value. */
    INDEX(3),
    /** The distance of each value from the previous one, Rice-coded. */
    DELTA(4),
    /** No element has a value. It is the only format without bytes. */
    EMPTY(5),
    /** The ends of each run of elements that have values, Rice-coded. */
    RUNS(6);

    /** Maximum number of elements of a slice, which 16-bit indices can address. */
    public static final int MAX_ELEMENTS = 1 << 16;

    /** Number of elements for each word of a bitmap. */
    public static final int WORD_BITS = Long.SIZE;

    private static final BlockFormat[] BY_CODE = {null, DENSE, BITMAP, INDEX, DELTA, EMPTY, RUNS};

    private final int code;

    BlockFormat(int code) {
        this.code = code;
    }

    /** The code in a frame. */
    public int code() {
        return code;
    }

    /** The format with a code, or {@code null} if there is none. */
    public static BlockFormat fromCode(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }

    /**
     * Length of the shortest index column, which is that of every index column unless the format
     * {@link #dependsOnIndices}.
     *
     * @param elements elements of the slice, 1 to {@link #MAX_ELEMENTS}
     * @param count number of values, 0 to {@code elements}
     * @return bytes
     */
    public int minIndicesLength(int elements, int count) {
        return switch (this) {
            case EMPTY, DENSE -> 0;
            case BITMAP -> bitmapLength(elements);
            case INDEX -> (count * Short.BYTES + 3) & -4;
            case DELTA -> RiceDeltas.minLength(count);
            case RUNS -> RunBoundaries.minLength();
        };
    }

    /** Whether the length of an index column depends on which elements have values, and not only on how many. */
    public boolean dependsOnIndices() {
        return this == DELTA || this == RUNS;
    }

    /**
     * Length of the shortest block, which is that of every block if neither column's length depends on its contents.
     *
     * @param values type of the values
     * @param elements elements of the slice, 1 to {@link #MAX_ELEMENTS}
     * @param count number of values, 0 to {@code elements}; {@code elements} if DENSE, 0 if EMPTY
     * @return bytes
     */
    public int minLength(ValueType values, int elements, int count) {
        return minIndicesLength(elements, count) + values.minLength(count);
    }

    /**
     * Whether a slice may have this number of elements, and a block of this format this number of values.
     *
     * @param elements elements of the slice, anything
     * @param count number of values, anything
     */
    public boolean permits(int elements, int count) {
        if (elements < 1 || elements > MAX_ELEMENTS) {
            return false;
        }
        return switch (this) {
            case EMPTY -> count == 0;
            case DENSE -> count == elements;
            case BITMAP, INDEX, DELTA, RUNS -> count >= 1 && count <= elements;
        };
    }

    /**
     * The shortest format among those whose length follows from the count. Ties go to the format that is applied
     * fastest: DENSE before BITMAP before INDEX. (Whether {@link #DELTA} or {@link #RUNS} is shorter depends on the
     * indices.)
     *
     * @param values type of the values. Zeros between the values would spoil packed exponents, so DENSE is chosen for a
     *     packed type only if every element has a value
     * @param elements elements of the slice, 1 to {@link #MAX_ELEMENTS}
     * @param count elements that must be sent, 0 to {@code elements}
     */
    public static BlockFormat cheapest(ValueType values, int elements, int count) {
        if (count == 0) {
            return EMPTY;
        }
        int bitmap = BITMAP.minLength(values, elements, count);
        int index = INDEX.minLength(values, elements, count);
        boolean mayBeDense = count == elements || !values.isPacked();
        if (mayBeDense && DENSE.minLength(values, elements, elements) <= Math.min(bitmap, index)) {
            return DENSE;
        }
        return bitmap <= index ? BITMAP : INDEX;
    }

    /** Number of bytes of the bitmap of a slice: whole 64-bit words. */
    public static int bitmapLength(int elements) {
        return ((elements + WORD_BITS - 1) / WORD_BITS) * Long.BYTES;
    }

    /**
     * Length of the longest block that a frame may carry: a bitmap and an f32 for every element. A filter needs as much
     * memory to compose a block. A frame with a longer block is rejected, because another format is always shorter.
     *
     * @param elements elements of the slice
     * @return bytes
     * @throws IllegalArgumentException if {@code elements} is not within 1 to {@link #MAX_ELEMENTS}
     */
    public static int maxLength(int elements) {
        checkElements(elements);
        return BITMAP.minLength(ValueType.F32, elements, elements);
    }

    /**
     * Refuses a number of elements that no slice has.
     *
     * @param elements number of elements to check
     * @throws IllegalArgumentException if it is not within 1 to {@link #MAX_ELEMENTS}
     */
    public static void checkElements(int elements) {
        if (elements < 1 || elements > MAX_ELEMENTS) {
            throw new IllegalArgumentException("elements must be 1 to " + MAX_ELEMENTS + ": " + elements);
        }
    }
}
