package io.sluice.codecs;

/**
 * How a block says which elements of its slice it has values for.
 *
 * <p>A block is one or two columns, little endian: first the places (none, a bitmap, or indices), then the values in
 * ascending order of their places. The columns follow each other without a gap, and both begin at a multiple of 4 bytes
 * from the block's first byte.
 *
 * <table>
 * <caption>Layout of a block of a slice of {@code e} elements with {@code c} values</caption>
 * <tr><th>format</th><th>places</th><th>values</th></tr>
 * <tr><td>DENSE</td><td>none</td><td>e x f32, c = e</td></tr>
 * <tr><td>BITMAP</td><td>ceil(e / 64) x u64; bit i % 64 of word i / 64 tells of element i; bits from e on are 0</td>
 *     <td>c x f32</td></tr>
 * <tr><td>INDEX</td><td>c x u16, strictly ascending, below e; one u16 of 0 if c is odd</td><td>c x f32</td></tr>
 * </table>
 */
public enum BlockFormat {
    /** Every element has a value. */
    DENSE(1),
    /** One bit for each element. */
    BITMAP(2),
    /** The index of each value; with no values, an empty block. */
    INDEX(3);

    /** The longest slice: what 16-bit indices can address. */
    public static final int MAX_ELEMENTS = 1 << 16;

    /** Elements one bitmap word tells of. */
    public static final int WORD_BITS = Long.SIZE;

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
        return switch (code) {
            case 1 -> DENSE;
            case 2 -> BITMAP;
            case 3 -> INDEX;
            default -> null;
        };
    }

    /**
     * Where the values begin, in bytes from the start of the block.
     *
     * @param elements of the slice, 1 to {@link #MAX_ELEMENTS}
     * @param count of values, 0 to {@code elements}
     */
    public int valuesOffset(int elements, int count) {
        return switch (this) {
            case DENSE -> 0;
            case BITMAP -> bitmapLength(elements);
            case INDEX -> (count * Short.BYTES + 3) & -4;
        };
    }

    /**
     * Length of a block in bytes.
     *
     * @param elements of the slice, 1 to {@link #MAX_ELEMENTS}
     * @param count of values, 0 to {@code elements}; ignored by {@link #DENSE}, which always has all of them
     */
    public int length(int elements, int count) {
        return valuesOffset(elements, count) + Float.BYTES * (this == DENSE ? elements : count);
    }

    /**
     * The shortest format for a block, by exact length. Of equally long ones the one that is applied fastest: DENSE
     * before BITMAP before INDEX.
     *
     * @param elements of the slice, 1 to {@link #MAX_ELEMENTS}
     * @param count of elements that must be sent, 0 to {@code elements}
     */
    public static BlockFormat cheapest(int elements, int count) {
        int dense = DENSE.length(elements, count);
        int bitmap = BITMAP.length(elements, count);
        int index = INDEX.length(elements, count);
        if (dense <= bitmap && dense <= index) {
            return DENSE;
        }
        return bitmap <= index ? BITMAP : INDEX;
    }

    /** Bytes of the bitmap of a slice: whole 64-bit words. */
    public static int bitmapLength(int elements) {
        return ((elements + WORD_BITS - 1) / WORD_BITS) * Long.BYTES;
    }

    /**
     * The longest block a frame may carry, and the room a filter needs to compose one: a bitmap and a value for every
     * element. (Indices for more than half the elements would be longer than that; such a frame is refused.)
     *
     * @param elements of the slice
     * @return bytes
     * @throws IllegalArgumentException if {@code elements} is not within 1 to {@link #MAX_ELEMENTS}
     */
    public static int maxLength(int elements) {
        if (elements < 1 || elements > MAX_ELEMENTS) {
            throw new IllegalArgumentException("elements must be 1 to " + MAX_ELEMENTS + ": " + elements);
        }
        return BITMAP.length(elements, elements);
    }
}
