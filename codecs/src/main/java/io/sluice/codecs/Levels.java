package io.sluice.codecs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.codecs.api.ValueType;
import java.lang.foreign.ValueLayout;

/**
 * The column of {@link ValueType#LEVELS}: a small number for each value, and a scale for each group of values.
 *
 * <table>
 * <caption>Layout for {@code c} values in {@code n} groups</caption>
 * <tr><th>bytes</th><th>what</th></tr>
 * <tr><td>1</td><td>width w of a number, in bits</td></tr>
 * <tr><td>1</td><td>kind</td></tr>
 * <tr><td>2</td><td>values of a group, u16: a multiple of 32, or 0 if all values are one group</td></tr>
 * <tr><td>8n or 4n</td><td>the scales: f32 lo and f32 hi of each group if two-valued, else one f32</td></tr>
 * <tr><td>4w for each 32 values</td><td>two-valued and signed: {@link BitPlanes} of their numbers</td></tr>
 * <tr><td>w ceil(t/8)</td><td>w planes of the other t values, each of ceil(t/8) bytes; bits from t on are 0</td></tr>
 * <tr><td>ceil(c/5)</td><td>ternary, instead of planes: five digits to the base 3 in each byte, the first in the lowest
 *     place. Byte j of a full unit of 32 bytes has values j, j + 32, ... j + 128 of the unit's 160; each byte of the
 *     rest has the next five values. Digits without a value are 0</td></tr>
 * </table>
 */
public final class Levels {
    /** Number of bytes before the scales. */
    public static final int HEADER_LENGTH = 4;

    /** Kind: number 0 is lo, number 1 is hi. The width is 1. */
    public static final int TWO_VALUED = 1;

    /** Kind: the number q, two's complement, is {@code q * (scale / (2^(w-1) - 1))}. The width is 2 to 8. */
    public static final int SIGNED = 2;

    /** Kind: digit 0 is zero, 1 is the scale, 2 is the scale with the other sign. The width is 2. */
    public static final int TERNARY = 3;

    /** The width of a ternary number, before five numbers are packed into a byte. */
    public static final int TERNARY_WIDTH = 2;

    /** Maximum of the width. */
    public static final int MAX_WIDTH = 8;

    /** Number of digits in a byte of a ternary column. */
    public static final int DIGITS = 5;

    /** Number of bytes of a unit of a ternary column. */
    public static final int UNIT = 32;

    /** Number of values of a unit of a ternary column. */
    public static final int UNIT_VALUES = DIGITS * UNIT;

    /** Maximum scale of signed numbers: the lowest number may be twice as far from zero. */
    public static final float GREATEST_SCALE = 0x1p126f;

    private static final ValueLayout.OfShort U16 = JAVA_SHORT_UNALIGNED.withOrder(LITTLE_ENDIAN);
    private static final ValueLayout.OfFloat F32 = JAVA_FLOAT_UNALIGNED.withOrder(LITTLE_ENDIAN);
    private static final ValueLayout.OfLong U64 = JAVA_LONG_UNALIGNED.withOrder(LITTLE_ENDIAN);
    private static final int GREATEST_BYTE = 242;

    /** Summand for the lower bits of bytes of 128 or more: the sum reaches bit 7 if the byte exceeds 242. */
    private static final long TO_OVERFLOW = 0x0101_0101_0101_0101L * (255 - GREATEST_BYTE);

    private static final long LOWER_BITS = 0x7F7F_7F7F_7F7F_7F7FL;

    private Levels() {}

    /** The width of the column at an address. */
    public static int width(long address) {
        return u8(address);
    }

    /** The kind of the column at an address. */
    public static int kind(long address) {
        return u8(address + 1);
    }

    /**
     * Number of values of a group of the column at an address, of which the last group may have fewer.
     *
     * @param address address of the column
     * @param count number of values
     */
    public static int group(long address, int count) {
        int group = OffHeap.ALL.get(U16, address + 2) & 0xFFFF;
        return group == 0 ? Math.max(count, 1) : group;
    }

    /** Whether a number of values can be a group: a multiple of 32 that a u16 can hold; 0 means all values. */
    public static boolean isGroup(int group) {
        return group >= 0 && group <= 0xFFFF && group % BitPlanes.GROUP == 0;
    }

    /** Number of bytes of a group's scales. */
    public static int scaleLength(int kind) {
        return kind == TWO_VALUED ? 2 * Float.BYTES : Float.BYTES;
    }

    /**
     * Offset of the numbers in a column: the bytes of header and scales.
     *
     * @param kind kind of the numbers
     * @param group values of a group; 0 if all values are one group
     * @param count number of values, 1 or more
     */
    public static int numbersOffset(int kind, int group, int count) {
        int groups = group == 0 ? 1 : (count + group - 1) / group;
        return HEADER_LENGTH + groups * scaleLength(kind);
    }

    /**
     * Number of bytes of a column.
     *
     * @param kind kind of the numbers
     * @param width width of a number in bits
     * @param group values of a group; 0 if all values are one
     * @param count number of values, 1 or more
     */
    public static int length(int kind, int width, int group, int count) {
        int numbers = kind == TERNARY
                ? (count + DIGITS - 1) / DIGITS
                : BitPlanes.length(width) * (count / BitPlanes.GROUP) + width * tailBytes(count);
        return numbersOffset(kind, group, count) + numbers;
    }

    /** Number of bytes of each plane of the values that follow the last full group. */
    public static int tailBytes(int count) {
        return (count % BitPlanes.GROUP + Byte.SIZE - 1) / Byte.SIZE;
    }

    /** Number of bytes of the column at an address, whose header is valid. */
    public static int length(long address, int count) {
        return length(kind(address), width(address), group(address, count), count);
    }

    /** Number of bytes of the shortest column. */
    public static int minLength(int count) {
        return Math.min(length(TWO_VALUED, 1, 0, count), length(TERNARY, TERNARY_WIDTH, 0, count));
    }

    /**
     * Writes the header of a column.
     *
     * @param address address of the column
     * @param kind kind of the numbers
     * @param width width of a number in bits
     * @param group values of a group; 0 if all values are one
     */
    public static void write(long address, int kind, int width, int group) {
        OffHeap.ALL.set(JAVA_BYTE, address, (byte) width);
        OffHeap.ALL.set(JAVA_BYTE, address + 1, (byte) kind);
        OffHeap.ALL.set(U16, address + 2, (short) group);
    }

    /** Whether the header of the column at an address is one that a sender may write. */
    static boolean headerIsSound(long address) {
        int width = width(address);
        boolean widthIsSound = switch (kind(address)) {
            case TWO_VALUED -> width == 1;
            case SIGNED -> width >= 2 && width <= MAX_WIDTH;
            case TERNARY -> width == TERNARY_WIDTH;
            default -> false;
        };
        return widthIsSound && isGroup(OffHeap.ALL.get(U16, address + 2) & 0xFFFF);
    }

    /** Whether all values of a column are finite, and its bits without a value 0. Header and length must be valid. */
    static boolean isValid(long address, int count) {
        int kind = kind(address);
        int width = width(address);
        long numbers = address + numbersOffset(kind, group(address, count), count);
        for (long at = address + HEADER_LENGTH; at < numbers; at += Float.BYTES) {
            if (!isScale(OffHeap.ALL.get(F32, at), kind)) {
                return false;
            }
        }
        return kind == TERNARY ? digitsAreSound(numbers, count) : planesAreSound(numbers, width, count);
    }

    private static boolean isScale(float scale, int kind) {
        return switch (kind) {
            case TWO_VALUED -> Float.isFinite(scale);
            case SIGNED -> scale >= 0 && scale <= GREATEST_SCALE;
            default -> scale >= 0 && scale <= Float.MAX_VALUE;
        };
    }

    private static boolean planesAreSound(long numbers, int width, int count) {
        int size = tailBytes(count);
        int used = count % Byte.SIZE;
        if (used == 0) {
            return true;
        }
        long last = numbers + (long) BitPlanes.length(width) * (count / BitPlanes.GROUP) + size - 1;
        int unused = 0;
        for (int plane = 0; plane < width; plane++) {
            unused |= u8(last + (long) plane * size) >>> used;
        }
        return unused == 0;
    }

    private static boolean digitsAreSound(long numbers, int count) {
        long end = numbers + (count + DIGITS - 1) / DIGITS;
        long beyond = 0;
        long at = numbers;
        for (; at <= end - Long.BYTES; at += Long.BYTES) {
            long bytes = OffHeap.ALL.get(U64, at);
            beyond |= (bytes & LOWER_BITS) + TO_OVERFLOW & bytes & ~LOWER_BITS;
        }
        boolean valid = beyond == 0;
        for (; at < end; at++) {
            valid &= u8(at) <= GREATEST_BYTE;
        }
        int most = 1; // upper bound of the digits of the last byte
        for (int digits = (count - 1) % DIGITS + 1; digits > 0; digits--) {
            most *= 3;
        }
        return valid && u8(end - 1) < most;
    }

    private static int u8(long address) {
        return OffHeap.ALL.get(JAVA_BYTE, address) & 0xFF;
    }
}
