package io.sluice.filter.kernel;

import static io.sluice.filter.kernel.Memory.f32;
import static io.sluice.filter.kernel.Memory.u16;

import io.sluice.codecs.BitPlanes;
import io.sluice.codecs.PackedExponents;
import io.sluice.codecs.api.ValueType;

/** Columns with packed exponents in plain Java. {@link PackedExponents} describes them. */
final class ScalarExponents {
    static final int EXPONENT_SHIFT = 23;
    static final int EXPONENT = 0xFF;

    /** Bits 16 to 22 of the mantissa. */
    static final int UPPER_MANTISSA = 0x7F;

    int encode(ValueType type, long values, int count, long column) {
        int least = EXPONENT;
        int most = 0;
        for (int k = 0; k < count; k++) {
            int exponent = Memory.getInt(values + f32(k)) >>> EXPONENT_SHIFT & EXPONENT;
            least = Math.min(least, exponent);
            most = Math.max(most, exponent);
        }
        int width = writeHeader(column, least, most);
        long planes = column + PackedExponents.HEADER_LENGTH;
        for (int group = 0; group < count / BitPlanes.GROUP; group++) {
            long numbers = values + f32(group * BitPlanes.GROUP);
            for (int bit = 0; bit < width; bit++, planes += Integer.BYTES) {
                Memory.putInt(planes, plane(numbers, least, bit));
            }
        }
        long upper = lower(type, values, 0, count, planes);
        long tail = upper(values, 0, count, upper);
        return (int) (tail(values, count, least, tail) - column);
    }

    /** Writes the header and returns the width. */
    static int writeHeader(long column, int least, int most) {
        int width = Integer.SIZE - Integer.numberOfLeadingZeros(most - least);
        Memory.putInt(column, least | width << Byte.SIZE);
        return width;
    }

    private static int plane(long values, int least, int bit) {
        int plane = 0;
        for (int k = 0; k < BitPlanes.GROUP; k++) {
            int exponent = Memory.getInt(values + f32(k)) >>> EXPONENT_SHIFT & EXPONENT;
            plane |= (exponent - least >>> bit & 1) << k;
        }
        return plane;
    }

    /**
     * Writes the lower halves of the values from {@code from} on, if the type has any; returns the address after them.
     */
    static long lower(ValueType type, long values, int from, int count, long column) {
        if (type == ValueType.BF16_PACKED) {
            return column;
        }
        for (int k = from; k < count; k++) {
            Memory.putShort(column + u16(k), Memory.getInt(values + f32(k)));
        }
        return column + u16(count);
    }

    /** Writes signs and upper mantissa bits of the values from {@code from} on; returns the address after them. */
    static long upper(long values, int from, int count, long column) {
        for (int k = from; k < count; k++) {
            int bits = Memory.getInt(values + f32(k));
            Memory.putByte(column + k, bits >>> 24 & 0x80 | bits >>> Short.SIZE & UPPER_MANTISSA);
        }
        return column + count;
    }

    /** Writes the exponents after the last full group; returns the address after them. */
    static long tail(long values, int count, int least, long column) {
        int done = count & -BitPlanes.GROUP;
        for (int k = done; k < count; k++) {
            int exponent = Memory.getInt(values + f32(k)) >>> EXPONENT_SHIFT & EXPONENT;
            Memory.putByte(column + k - done, exponent - least);
        }
        return column + count - done;
    }

    void decode(ValueType type, long column, int count, long values) {
        decode(type, column, 0, count, values);
    }

    /** Decodes the values from {@code from} on. */
    static void decode(ValueType type, long column, int from, int count, long values) {
        int least = PackedExponents.least(column);
        int width = PackedExponents.width(column);
        int done = count & -BitPlanes.GROUP;
        long planes = column + PackedExponents.HEADER_LENGTH;
        long lower = planes + (long) done / BitPlanes.GROUP * BitPlanes.length(width);
        boolean whole = type == ValueType.F32_PACKED;
        long upper = whole ? lower + u16(count) : lower;
        long tail = upper + count;
        for (int k = from; k < count; k++) {
            int exponent = k < done ? unpack(planes, width, k) : Memory.getByte(tail + k - done);
            int bits = Memory.getByte(upper + k);
            int sign = (bits & 0x80) << 24;
            int mantissa = (bits & UPPER_MANTISSA) << Short.SIZE | (whole ? Memory.getShort(lower + u16(k)) : 0);
            int biased = least + exponent & EXPONENT;
            Memory.putInt(values + f32(k), sign | biased << EXPONENT_SHIFT | mantissa);
        }
    }

    private static int unpack(long planes, int width, int k) {
        long group = planes + (long) (k / BitPlanes.GROUP) * BitPlanes.length(width);
        int exponent = 0;
        for (int bit = 0; bit < width; bit++) {
            exponent |= (Memory.getInt(group + (long) bit * Integer.BYTES) >>> k & 1) << bit;
        }
        return exponent;
    }
}
