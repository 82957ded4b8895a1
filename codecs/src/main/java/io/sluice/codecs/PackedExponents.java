package io.sluice.codecs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

/**
 * The column of values with packed exponents: filtered values exceed a threshold, but not by much, so few of the 256
 * exponents occur, and their 8 bits shrink to 1 to 3 without loss.
 *
 * <table>
 * <caption>Layout for {@code c} values, of which {@code g = c / 32} full groups of 32</caption>
 * <tr><th>bytes</th><th>what</th></tr>
 * <tr><td>1</td><td>least biased exponent</td></tr>
 * <tr><td>1</td><td>width w, 0 to 8</td></tr>
 * <tr><td>2</td><td>zero</td></tr>
 * <tr><td>g x 4w</td><td>per group: {@link BitPlanes} of the exponents less the least one</td></tr>
 * <tr><td>2c (F32_PACKED only)</td><td>mantissa bits 0 to 15 of each value, u16</td></tr>
 * <tr><td>c</td><td>sign (bit 7) and mantissa bits 16 to 22 (bits 0 to 6) of each value</td></tr>
 * <tr><td>c - 32g</td><td>exponents minus the least one, of the values after the last full group, u8</td></tr>
 * </table>
 */
public final class PackedExponents {
    /** Number of bytes before the bit planes. */
    public static final int HEADER_LENGTH = 4;

    /** Offset of the least exponent. */
    public static final int LEAST_OFFSET = 0;

    /** Offset of the width. */
    public static final int WIDTH_OFFSET = 1;

    /** The maximum width: a whole exponent. */
    public static final int MAX_WIDTH = 8;

    private PackedExponents() {}

    /**
     * Number of bytes of the exponents, in all parts of the column.
     *
     * @param width width in bits, 0 to {@link #MAX_WIDTH}
     * @param count number of values
     */
    public static int exponentsLength(int width, int count) {
        return BitPlanes.length(width) * (count / BitPlanes.GROUP) + count % BitPlanes.GROUP;
    }

    /**
     * Number of bytes of the exponents of a column in memory.
     *
     * @param address address of the column
     * @param count number of values
     */
    public static int exponentsLength(long address, int count) {
        return exponentsLength(width(address), count);
    }

    /** Width in bits of the column at an address, 0 to 255 in a column that was not validated. */
    public static int width(long address) {
        return OffHeap.ALL.get(JAVA_BYTE, address + WIDTH_OFFSET) & 0xFF;
    }

    /** Least biased exponent of the column at an address. */
    public static int least(long address) {
        return OffHeap.ALL.get(JAVA_BYTE, address + LEAST_OFFSET) & 0xFF;
    }

    /** Whether the header of the column at an address is one that a sender may write. */
    static boolean headerIsSound(long address) {
        return width(address) <= MAX_WIDTH
                && OffHeap.ALL.get(JAVA_BYTE, address + 2) == 0
                && OffHeap.ALL.get(JAVA_BYTE, address + 3) == 0;
    }
}
