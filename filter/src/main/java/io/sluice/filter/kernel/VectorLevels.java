package io.sluice.filter.kernel;

import static io.sluice.filter.kernel.Memory.f32;
import static io.sluice.filter.kernel.Memory.u8;
import static io.sluice.filter.kernel.Registers.BYTE_LANES;
import static io.sluice.filter.kernel.Registers.FLOATS;
import static io.sluice.filter.kernel.Registers.INTS;
import static io.sluice.filter.kernel.Registers.LANES;
import static io.sluice.filter.kernel.Registers.all;
import static io.sluice.filter.kernel.Registers.bytes;
import static io.sluice.filter.kernel.Registers.digits;
import static io.sluice.filter.kernel.Registers.draws;
import static io.sluice.filter.kernel.Registers.floats;
import static io.sluice.filter.kernel.Registers.ints;
import static io.sluice.filter.kernel.Registers.lanes;
import static io.sluice.filter.kernel.Registers.store;
import static io.sluice.filter.kernel.Registers.storeBytes;

import io.sluice.codecs.BitPlanes;
import io.sluice.codecs.Levels;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;

/**
 * Levels on the Vector API: it handles whole registers, groups of planes and units of digits, and the twin handles the
 * remainder.
 */
final class VectorLevels implements LevelsKernel {
    @Override
    public long sums(long values, int count, float clip, float factor, long sums) {
        int whole = count - count % SUMS;
        long counts = 0;
        for (int part = 0; part < SUMS; part += LANES) {
            counts += partSums(values, part, whole, clip, factor, sums + f32(part));
        }
        return counts + ScalarLevels.sums(values, whole, count, clip, factor, sums);
    }

    /** Sums every 16th value, beginning at as many consecutive values as a register has lanes. */
    private static long partSums(long values, int part, int whole, float clip, float factor, long sums) {
        FloatVector above = FloatVector.zero(FLOATS);
        FloatVector below = FloatVector.zero(FLOATS);
        FloatVector squares = FloatVector.zero(FLOATS);
        int negatives = 0;
        int present = 0;
        for (int k = part; k < whole; k += SUMS) {
            FloatVector v = floats(f32(values, k));
            FloatVector c = v.abs().min(clip).mul(factor);
            VectorMask<Float> negative = v.compare(VectorOperators.LT, 0);
            above = above.add(c.blend(0, negative));
            below = below.add(FloatVector.zero(FLOATS).blend(c, negative));
            squares = squares.add(c.mul(c));
            negatives += negative.trueCount();
            present += v.compare(VectorOperators.NE, 0).trueCount();
        }
        store(above, sums);
        store(below, sums + f32(SUMS));
        store(squares, sums + f32(2 * SUMS));
        return negatives | (long) present << Integer.SIZE;
    }

    @Override
    public void signs(long values, int count, long numbers) {
        int whole = FLOATS.loopBound(count);
        for (int k = 0; k < whole; k += LANES) {
            VectorMask<Integer> negative =
                    floats(f32(values, k)).compare(VectorOperators.LT, 0).cast(INTS);
            store(all(1).blend(0, negative), f32(numbers, k));
        }
        ScalarLevels.signs(values, whole, count, numbers);
    }

    @Override
    public void draw(long values, int count, float factor, float levels, int most, long key, int first, long numbers) {
        int whole = FLOATS.loopBound(count);
        for (int k = 0; k < whole; k += LANES) {
            FloatVector v = floats(f32(values, k));
            FloatVector level = v.abs().mul(factor).mul(levels).min(most);
            IntVector below = (IntVector) level.convertShape(VectorOperators.F2I, INTS, 0);
            FloatVector floor = (FloatVector) below.convertShape(VectorOperators.I2F, FLOATS, 0);
            FloatVector share = level.sub(floor).mul(Draws.ALL);
            VectorMask<Integer> up =
                    draws(key, first + k).compare(VectorOperators.LT, share).cast(INTS);
            IntVector sign = v.reinterpretAsInts().lanewise(VectorOperators.ASHR, Integer.SIZE - 1);
            store(below.add(1, up).lanewise(VectorOperators.XOR, sign).sub(sign), f32(numbers, k));
        }
        ScalarLevels.draw(values, whole, count, factor, levels, most, key, first, numbers);
    }

    @Override
    public void pack(int kind, int width, long numbers, int count, long target) {
        if (kind == Levels.TERNARY) {
            int full = count - count % Levels.UNIT_VALUES;
            for (int unit = 0; unit < full; unit += Levels.UNIT_VALUES) {
                packDigits(f32(numbers, unit), target + unit / Levels.DIGITS);
            }
            ScalarLevels.packDigits(numbers, full, count, target);
        } else {
            int full = count - count % BitPlanes.GROUP;
            for (int group = 0; group < full; group += BitPlanes.GROUP) {
                long planes = target + (long) group / BitPlanes.GROUP * BitPlanes.length(width);
                for (int bit = 0; bit < width; bit++) {
                    Memory.putInt(planes + f32(bit), plane(f32(numbers, group), bit));
                }
            }
            ScalarLevels.packPlanes(width, numbers, full, count, target);
        }
    }

    private static void packDigits(long numbers, long target) {
        for (int j = 0; j < Levels.UNIT; j += LANES) {
            IntVector packed = IntVector.zero(INTS);
            for (int run = Levels.DIGITS - 1; run >= 0; run--) {
                packed = packed.mul(3).add(digits(ints(f32(numbers, run * Levels.UNIT + j))));
            }
            storeBytes(packed, u8(target, j));
        }
    }

    private static int plane(long numbers, int bit) {
        long plane = 0;
        for (int k = 0; k < BitPlanes.GROUP; k += LANES) {
            IntVector bits = ints(f32(numbers, k)).and(1 << bit);
            plane |= bits.compare(VectorOperators.NE, 0).toLong() << k;
        }
        return (int) plane;
    }

    @Override
    public void decode(long column, int count, long values) {
        int kind = Levels.kind(column);
        int group = Levels.group(column, count);
        long scales = column + Levels.HEADER_LENGTH;
        long numbers = column + Levels.numbersOffset(kind, group, count);
        int done = kind == Levels.TERNARY
                ? ternary(scales, numbers, group, count, values)
                : planes(kind, Levels.width(column), scales, numbers, group, count, values);
        ScalarLevels.decode(column, done, count, values);
    }

    /** Decodes units that are followed by as many bytes as {@link Registers#bytes} reads beyond its lanes. */
    private static int ternary(long scales, long numbers, int group, int count, long values) {
        int readable = (count + Levels.DIGITS - 1) / Levels.DIGITS - (BYTE_LANES - LANES);
        int units = Math.min(count / Levels.UNIT_VALUES, Math.max(0, readable) / Levels.UNIT);
        for (int unit = 0; unit < units; unit++) {
            for (int run = 0; run < Levels.DIGITS; run++) {
                int first = unit * Levels.UNIT_VALUES + run * Levels.UNIT;
                int scale = Memory.getInt(scales + f32(first / group));
                ternaryRun(numbers + (long) unit * Levels.UNIT, run, scale, f32(values, first));
            }
        }
        return units * Levels.UNIT_VALUES;
    }

    private static void ternaryRun(long numbers, int place, int scale, long values) {
        int by = ScalarLevels.THIRDS[place];
        int byNext = ScalarLevels.THIRDS[place + 1];
        for (int j = 0; j < Levels.UNIT; j += LANES) {
            IntVector five = bytes(u8(numbers, j));
            IntVector upper = five.mul(by).lanewise(VectorOperators.LSHR, ScalarLevels.SHIFT);
            IntVector rest = five.mul(byNext).lanewise(VectorOperators.LSHR, ScalarLevels.SHIFT);
            IntVector digit = upper.sub(rest.mul(3));
            IntVector sign = digit.lanewise(VectorOperators.LSHR, 1).lanewise(VectorOperators.LSHL, Integer.SIZE - 1);
            store(all(scale).or(sign).blend(0, digit.compare(VectorOperators.EQ, 0)), f32(values, j));
        }
    }

    private static int planes(int kind, int width, long scales, long numbers, int group, int count, long values) {
        int full = count - count % BitPlanes.GROUP;
        for (int first = 0; first < full; first += BitPlanes.GROUP) {
            long planes = numbers + (long) first / BitPlanes.GROUP * BitPlanes.length(width);
            long scale = scales + (long) (first / group) * Levels.scaleLength(kind);
            if (kind == Levels.TWO_VALUED) {
                twoValuedRun(planes, Memory.getInt(scale), Memory.getInt(scale + Float.BYTES), f32(values, first));
            } else {
                float unit = ScalarLevels.unit(Memory.getFloat(scale), width);
                signedRun(planes, width, unit, f32(values, first));
            }
        }
        return full;
    }

    private static void twoValuedRun(long planes, int lo, int hi, long values) {
        long plane = Memory.getInt(planes) & 0xFFFF_FFFFL;
        for (int k = 0; k < BitPlanes.GROUP; k += LANES) {
            store(all(lo).blend(hi, lanes(plane >>> k)), f32(values, k));
        }
    }

    private static void signedRun(long planes, int width, float unit, long values) {
        int unused = Integer.SIZE - width;
        for (int k = 0; k < BitPlanes.GROUP; k += LANES) {
            IntVector number = IntVector.zero(INTS);
            for (int bit = 0; bit < width; bit++) {
                long plane = Memory.getInt(planes + f32(bit)) & 0xFFFF_FFFFL;
                number = number.add(1 << bit, lanes(plane >>> k));
            }
            IntVector signed = number.lanewise(VectorOperators.LSHL, unused).lanewise(VectorOperators.ASHR, unused);
            store(((FloatVector) signed.convertShape(VectorOperators.I2F, FLOATS, 0)).mul(unit), f32(values, k));
        }
    }
}
