package io.sluice.codecs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.codecs.spi.BlockFormat;
import java.lang.foreign.ValueLayout;

/**
 * The index column of {@link BlockFormat#DELTA}. The delta of a value is the number of elements without a value between
 * the previous value and this one. Deltas of uniformly distributed indices are geometrically distributed, and a Rice
 * code takes a few hundredths of a bit more than their entropy: the lowest w bits of each delta are stored as they are,
 * and the quotient h in unary, as h zeros and a one. The two parts are stored separately: the low bits as {@link
 * BitPlanes}, the quotients as a bitmap that is scanned.
 *
 * <table>
 * <caption>Layout for {@code c} values, of which {@code g = c / 32} full groups and {@code t = c % 32} more</caption>
 * <tr><th>bytes</th><th>what</th></tr>
 * <tr><td>1</td><td>width w, 0 to 15</td></tr>
 * <tr><td>1</td><td>zero</td></tr>
 * <tr><td>2</td><td>n, u16</td></tr>
 * <tr><td>g x 4w</td><td>per group: bit planes of the lowest w bits of its deltas</td></tr>
 * <tr><td>w ceil(t / 8)</td>
 *     <td>w planes of t bits, each of whole bytes, of the deltas after the last full group</td></tr>
 * <tr><td>0 to 3</td><td>zero, up to a multiple of 4 bytes</td></tr>
 * <tr><td>8n</td><td>unary part, n u64, lowest bit first: c ones, the last of them in the last word</td></tr>
 * </table>
 *
 * <p>A column is checked by counting bits: it leads to element {@code c - 1 + (sum of the deltas)} at most, and the sum
 * is that of 2<sup>b</sup> times the ones of each plane b, plus 2<sup>w</sup> times the zeros of the unary part.
 */
public final class RiceDeltas {
    /** Number of bytes before the planes. */
    public static final int HEADER_LENGTH = 4;

    /** Offset of the width, u8. */
    public static final int WIDTH_OFFSET = 0;

    /** Offset of the number of words of the unary part, u16. */
    public static final int WORDS_OFFSET = 2;

    /** The maximum width of the lower part, in bits. */
    public static final int MAX_WIDTH = 15;

    /**
     * One more bit pays if the unary part of more than one delta in 1.618, the golden ratio, continues after its first
     * zero. That holds for a mean distance above 2<sup>w</sup> / 0.4812; 493 / 1024 is 0.4814.
     */
    private static final long GOLDEN_1024 = 493;

    private static final int ALL_NUMBERS = -1;
    private static final int EVERY_SECOND_NUMBER = 0xAAAA_AAAA;

    private static final ValueLayout.OfInt U32 = JAVA_INT_UNALIGNED.withOrder(LITTLE_ENDIAN);
    private static final ValueLayout.OfLong U64 = JAVA_LONG_UNALIGNED.withOrder(LITTLE_ENDIAN);
    private static final ValueLayout.OfShort U16 = JAVA_SHORT_UNALIGNED.withOrder(LITTLE_ENDIAN);

    private RiceDeltas() {}

    /**
     * The width that a sender uses.
     *
     * @param elements elements of the slice
     * @param count number of values, 1 to {@code elements}
     * @return bits, 0 to {@link #MAX_WIDTH}
     */
    public static int width(int elements, int count) {
        long scaled = (elements * GOLDEN_1024 - 1) / ((long) count << 10);
        return Long.SIZE - Long.numberOfLeadingZeros(scaled);
    }

    /** Number of bytes of the planes of {@code count} deltas, padding included. */
    public static int planesLength(int width, int count) {
        int tail = (count % BitPlanes.GROUP + Byte.SIZE - 1) / Byte.SIZE;
        int length = BitPlanes.length(width) * (count / BitPlanes.GROUP) + width * tail;
        return length + 3 & -4;
    }

    /**
     * Length of the shortest possible column for a number of values: its unary part has a one for each and no zeros.
     */
    public static int minLength(int count) {
        return HEADER_LENGTH + BlockFormat.bitmapLength(count);
    }

    /** Width of a column in memory, 0 to 255 in a column that was not validated. */
    public static int width(long address) {
        return OffHeap.ALL.get(JAVA_BYTE, address + WIDTH_OFFSET) & 0xFF;
    }

    /** Number of words of the unary part of a column in memory. */
    public static int words(long address) {
        return OffHeap.ALL.get(U16, address + WORDS_OFFSET) & 0xFFFF;
    }

    /**
     * Length of a column in memory.
     *
     * @param address address of its first byte; {@link #HEADER_LENGTH} bytes must be readable
     * @param count number of values
     * @return bytes, or -1 if the width is out of range
     */
    public static int length(long address, int count) {
        int width = width(address);
        return width > MAX_WIDTH ? -1 : HEADER_LENGTH + planesLength(width, count) + words(address) * Long.BYTES;
    }

    /** Whether the indices of a column, whose {@link #length} has been checked, are within the slice. */
    static boolean isValid(long address, int elements, int count) {
        long last = last(address, count);
        return last >= 0 && last < elements;
    }

    /** The last index of a column, whose {@link #length} has been checked; -1 if the column is not valid. */
    static long last(long address, int count) {
        int width = width(address);
        int words = words(address);
        long planes = address + HEADER_LENGTH;
        long unary = planes + planesLength(width, count);
        if (words == 0 || OffHeap.ALL.get(JAVA_BYTE, address + 1) != 0) {
            return -1;
        }
        int ones = 0;
        for (int i = 0; i < words; i++) {
            ones += Long.bitCount(word(unary, i));
        }
        long last = word(unary, words - 1);
        long zeros = (long) words * Long.SIZE - Long.numberOfLeadingZeros(last) - ones;
        long lower = sumOfPlanes(planes, width, count, ALL_NUMBERS);
        return ones == count && last != 0 && lower >= 0 ? count - 1 + lower + (zeros << width) : -1;
    }

    /** The sum of the deltas at even positions of a valid column: the second, the fourth, and so on. */
    static long sumOfEverySecond(long address, int count) {
        int width = width(address);
        long planes = address + HEADER_LENGTH;
        long unary = planes + planesLength(width, count);
        long zeros = 0;
        boolean second = false;
        long previous = -1;
        for (int i = 0; i < words(address); i++) {
            for (long word = word(unary, i); word != 0; word &= word - 1) {
                long one = (long) i * Long.SIZE + Long.numberOfTrailingZeros(word);
                zeros += second ? one - previous - 1 : 0;
                second = !second;
                previous = one;
            }
        }
        return (zeros << width) + sumOfPlanes(planes, width, count, EVERY_SECOND_NUMBER);
    }

    /** The sum of the low bits of some numbers of each group; -1 if an unused bit is set. */
    private static long sumOfPlanes(long planes, int width, int count, int numbers) {
        long plane = planes;
        long sum = 0;
        for (int group = 0; group < count / BitPlanes.GROUP; group++) {
            for (int bit = 0; bit < width; bit++, plane += Integer.BYTES) {
                sum += (long) Integer.bitCount(OffHeap.ALL.get(U32, plane) & numbers) << bit;
            }
        }
        int tail = count % BitPlanes.GROUP;
        int bytes = (tail + Byte.SIZE - 1) / Byte.SIZE;
        int unused = 0;
        for (int bit = 0; bit < width; bit++) {
            int lanes = 0;
            for (int i = 0; i < bytes; i++, plane++) {
                lanes |= (OffHeap.ALL.get(JAVA_BYTE, plane) & 0xFF) << i * Byte.SIZE;
            }
            sum += (long) Integer.bitCount(lanes & numbers) << bit;
            unused |= lanes >>> tail;
        }
        for (long end = planes + planesLength(width, count); plane < end; plane++) {
            unused |= OffHeap.ALL.get(JAVA_BYTE, plane);
        }
        return unused == 0 ? sum : -1;
    }

    private static long word(long address, int index) {
        return OffHeap.ALL.get(U64, address + (long) index * Long.BYTES);
    }

    /**
     * Length of the index column of a valid block in memory: the offset of its values.
     *
     * @param format format of the block
     * @param address address of the block
     * @param elements elements of the slice
     * @param count number of values
     * @return bytes
     */
    public static int indicesLength(BlockFormat format, long address, int elements, int count) {
        return switch (format) {
            case DELTA -> length(address, count);
            case RUNS -> RunBoundaries.length(address);
            default -> format.minIndicesLength(elements, count);
        };
    }
}
