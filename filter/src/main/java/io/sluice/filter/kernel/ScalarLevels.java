package io.sluice.filter.kernel;

import static io.sluice.filter.kernel.Memory.f32;

import io.sluice.codecs.BitPlanes;
import io.sluice.codecs.Levels;

/** Levels in plain Java. */
final class ScalarLevels implements LevelsKernel {
    /** Factors that divide a byte by a power of 3: multiply by one, then shift right by 16. */
    static final int[] THIRDS = {1 << 16, 21_846, 7_282, 2_428, 810, 270};

    static final int SHIFT = 16;
    static final int SIGN = Integer.MIN_VALUE;

    @Override
    public long sums(long values, int count, float clip, float factor, long sums) {
        for (int sum = 0; sum < 3 * SUMS; sum++) {
            Memory.putFloat(sums + f32(sum), 0);
        }
        return sums(values, 0, count, clip, factor, sums);
    }

    /** Adds the values from {@code from} on, which must be a multiple of {@link #SUMS}. */
    static long sums(long values, int from, int count, float clip, float factor, long sums) {
        int below = 0;
        int present = 0;
        for (int k = from; k < count; k++) {
            float v = Memory.getFloat(values + f32(k));
            float c = Math.min(Math.abs(v), clip) * factor;
            boolean negative = v < 0;
            long lane = sums + f32(k % SUMS);
            add(lane + (negative ? f32(SUMS) : 0), c);
            add(lane + f32(2 * SUMS), c * c);
            below += negative ? 1 : 0;
            present += v != 0 ? 1 : 0;
        }
        return below | (long) present << Integer.SIZE;
    }

    private static void add(long sum, float c) {
        Memory.putFloat(sum, Memory.getFloat(sum) + c);
    }

    @Override
    public void signs(long values, int count, long numbers) {
        signs(values, 0, count, numbers);
    }

    static void signs(long values, int from, int count, long numbers) {
        for (int k = from; k < count; k++) {
            Memory.putInt(numbers + f32(k), Memory.getFloat(values + f32(k)) < 0 ? 0 : 1);
        }
    }

    @Override
    public void draw(long values, int count, float factor, float levels, int most, long key, int first, long numbers) {
        draw(values, 0, count, factor, levels, most, key, first, numbers);
    }

    static void draw(
            long values, int from, int count, float factor, float levels, int most, long key, int first, long numbers) {
        for (int k = from; k < count; k++) {
            float v = Memory.getFloat(values + f32(k));
            float level = Math.min(Math.abs(v) * factor * levels, most);
            int below = (int) level;
            float share = (level - below) * Draws.ALL;
            int number = Draws.draw(key, first + k) < share ? below + 1 : below;
            Memory.putInt(numbers + f32(k), v < 0 ? -number : number);
        }
    }

    @Override
    public void pack(int kind, int width, long numbers, int count, long target) {
        if (kind == Levels.TERNARY) {
            packDigits(numbers, 0, count, target);
        } else {
            packPlanes(width, numbers, 0, count, target);
        }
    }

    /** Packs ternary numbers, from the beginning of a unit on. */
    static void packDigits(long numbers, int from, int count, long target) {
        int full = count - count % Levels.UNIT_VALUES;
        long at = target + from / Levels.DIGITS;
        for (int unit = from; unit < full; unit += Levels.UNIT_VALUES) {
            for (int j = 0; j < Levels.UNIT; j++) {
                Memory.putByte(at++, fiveDigits(numbers + f32(unit + j), Levels.UNIT, Levels.DIGITS));
            }
        }
        for (int k = full; k < count; k += Levels.DIGITS) {
            Memory.putByte(at++, fiveDigits(numbers + f32(k), 1, Math.min(Levels.DIGITS, count - k)));
        }
    }

    private static int fiveDigits(long numbers, int stride, int digits) {
        int packed = 0;
        for (int digit = digits - 1; digit >= 0; digit--) {
            int number = Memory.getInt(numbers + f32(digit * stride));
            packed = packed * 3 + (number < 0 ? 2 : number);
        }
        return packed;
    }

    /** Packs planes, from the beginning of a group on. */
    static void packPlanes(int width, long numbers, int from, int count, long target) {
        int full = count - count % BitPlanes.GROUP;
        long at = target + (long) from / BitPlanes.GROUP * BitPlanes.length(width);
        for (int group = from; group < full; group += BitPlanes.GROUP) {
            for (int bit = 0; bit < width; bit++, at += Integer.BYTES) {
                Memory.putInt(at, plane(numbers, group, group + BitPlanes.GROUP, bit));
            }
        }
        for (int bit = 0; bit < width; bit++) {
            int plane = plane(numbers, full, count, bit);
            for (int size = Levels.tailBytes(count); size > 0; size--, plane >>>= Byte.SIZE) {
                Memory.putByte(at++, plane);
            }
        }
    }

    private static int plane(long numbers, int from, int to, int bit) {
        int plane = 0;
        for (int k = from; k < to; k++) {
            plane |= (Memory.getInt(numbers + f32(k)) >>> bit & 1) << k - from;
        }
        return plane;
    }

    @Override
    public void decode(long column, int count, long values) {
        decode(column, 0, count, values);
    }

    /** Decodes the values from {@code from} on, which begins a unit of ternary values or a group of planes. */
    static void decode(long column, int from, int count, long values) {
        int kind = Levels.kind(column);
        int group = Levels.group(column, count);
        long scales = column + Levels.HEADER_LENGTH;
        long numbers = column + Levels.numbersOffset(kind, group, count);
        int width = Levels.width(column);
        for (int k = from; k < count; k++) {
            long scale = scales + (long) (k / group) * Levels.scaleLength(kind);
            int number = kind == Levels.TERNARY ? digit(numbers, k, count) : number(numbers, width, k, count);
            Memory.putInt(values + f32(k), valueOf(kind, width, number, scale));
        }
    }

    private static int valueOf(int kind, int width, int number, long scale) {
        return switch (kind) {
            case Levels.TWO_VALUED -> Memory.getInt(scale + f32(number));
            case Levels.TERNARY -> number == 0 ? 0 : Memory.getInt(scale) | (number == 2 ? SIGN : 0);
            default -> {
                int unused = Integer.SIZE - width;
                yield Float.floatToRawIntBits(unit(Memory.getFloat(scale), width) * (number << unused >> unused));
            }
        };
    }

    /** The value of the signed number 1. */
    static float unit(float scale, int width) {
        return scale / ((1 << width - 1) - 1);
    }

    private static int digit(long numbers, int k, int count) {
        int inUnit = k % Levels.UNIT_VALUES;
        boolean full = k - inUnit + Levels.UNIT_VALUES <= count;
        int at = full ? (k - inUnit) / Levels.DIGITS + inUnit % Levels.UNIT : k / Levels.DIGITS;
        int place = full ? inUnit / Levels.UNIT : inUnit % Levels.DIGITS;
        int value = Memory.getByte(numbers + at);
        return (value * THIRDS[place] >>> SHIFT) - 3 * (value * THIRDS[place + 1] >>> SHIFT);
    }

    private static int number(long numbers, int width, int k, int count) {
        int inGroup = k % BitPlanes.GROUP;
        boolean full = k - inGroup + BitPlanes.GROUP <= count;
        int size = full ? Integer.BYTES : Levels.tailBytes(count);
        long at = numbers + (long) (k / BitPlanes.GROUP) * BitPlanes.length(width) + inGroup / Byte.SIZE;
        int number = 0;
        for (int bit = 0; bit < width; bit++) {
            number |= (Memory.getByte(at + (long) bit * size) >>> inGroup % Byte.SIZE & 1) << bit;
        }
        return number;
    }
}
