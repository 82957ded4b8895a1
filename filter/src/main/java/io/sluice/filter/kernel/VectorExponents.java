package io.sluice.filter.kernel;

import static io.sluice.filter.kernel.Memory.f32;
import static io.sluice.filter.kernel.Memory.u16;
import static io.sluice.filter.kernel.Registers.BYTE_LANES;
import static io.sluice.filter.kernel.Registers.INTS;
import static io.sluice.filter.kernel.Registers.LANES;
import static io.sluice.filter.kernel.Registers.SHORTS;
import static io.sluice.filter.kernel.Registers.bytes;
import static io.sluice.filter.kernel.Registers.exponents;
import static io.sluice.filter.kernel.Registers.ints;
import static io.sluice.filter.kernel.Registers.lanes;
import static io.sluice.filter.kernel.Registers.shorts;
import static io.sluice.filter.kernel.Registers.store;
import static io.sluice.filter.kernel.Registers.storeBytes;
import static io.sluice.filter.kernel.ScalarExponents.EXPONENT;
import static io.sluice.filter.kernel.ScalarExponents.EXPONENT_SHIFT;
import static io.sluice.filter.kernel.ScalarExponents.UPPER_MANTISSA;

import io.sluice.codecs.BitPlanes;
import io.sluice.codecs.PackedExponents;
import io.sluice.codecs.api.ValueType;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;

/** Columns with packed exponents on the Vector API. {@link PackedExponents} describes them. */
final class VectorExponents {
    int encode(ValueType type, long values, int count, long column) {
        int whole = INTS.loopBound(count);
        IntVector least = IntVector.broadcast(INTS, EXPONENT);
        IntVector most = IntVector.zero(INTS);
        for (int k = 0; k < whole; k += LANES) {
            IntVector exponent = exponents(values + f32(k));
            least = least.min(exponent);
            most = most.max(exponent);
        }
        int min = least.reduceLanes(VectorOperators.MIN);
        int max = most.reduceLanes(VectorOperators.MAX);
        for (int k = whole; k < count; k++) {
            int exponent = Memory.getInt(values + f32(k)) >>> EXPONENT_SHIFT & EXPONENT;
            min = Math.min(min, exponent);
            max = Math.max(max, exponent);
        }
        int width = ScalarExponents.writeHeader(column, min, max);
        long planes = column + PackedExponents.HEADER_LENGTH;
        for (int group = 0; group < count / BitPlanes.GROUP; group++) {
            long numbers = values + f32(group * BitPlanes.GROUP);
            for (int bit = 0; bit < width; bit++, planes += Integer.BYTES) {
                Memory.putInt(planes, plane(numbers, min, bit));
            }
        }
        long upper = lower(type, values, count, planes);
        long tail = upper(values, count, upper);
        return (int) (ScalarExponents.tail(values, count, min, tail) - column);
    }

    private static int plane(long values, int least, int bit) {
        long plane = 0;
        for (int k = 0; k < BitPlanes.GROUP; k += LANES) {
            IntVector bits = exponents(values + f32(k)).sub(least).and(1 << bit);
            plane |= bits.compare(VectorOperators.NE, 0).toLong() << k;
        }
        return (int) plane;
    }

    private static long lower(ValueType type, long values, int count, long column) {
        if (type == ValueType.BF16_PACKED) {
            return column;
        }
        int whole = INTS.loopBound(count);
        for (int k = 0; k < whole; k += LANES) {
            IntVector bits = ints(values + f32(k));
            store((ShortVector) bits.convertShape(VectorOperators.I2S, SHORTS, 0), column + u16(k));
        }
        return ScalarExponents.lower(type, values, whole, count, column);
    }

    private static long upper(long values, int count, long column) {
        int whole = INTS.loopBound(count);
        for (int k = 0; k < whole; k += LANES) {
            IntVector bits = ints(values + f32(k));
            IntVector sign = bits.lanewise(VectorOperators.LSHR, 24).and(0x80);
            IntVector mantissa = bits.lanewise(VectorOperators.LSHR, Short.SIZE).and(UPPER_MANTISSA);
            storeBytes(sign.or(mantissa), column + k);
        }
        return ScalarExponents.upper(values, whole, count, column);
    }

    void decode(ValueType type, long column, int count, long values) {
        int least = PackedExponents.least(column);
        int width = PackedExponents.width(column);
        int groups = count / BitPlanes.GROUP;
        long planes = column + PackedExponents.HEADER_LENGTH;
        long lower = planes + (long) groups * BitPlanes.length(width);
        boolean wholeMantissa = type == ValueType.F32_PACKED;
        long upper = wholeMantissa ? lower + u16(count) : lower;
        int end = Math.min(groups * BitPlanes.GROUP, count - BYTE_LANES + 1);
        int k = 0;
        for (; k < end; k += LANES) {
            long group = planes + (long) (k / BitPlanes.GROUP) * BitPlanes.length(width);
            IntVector exponent = IntVector.broadcast(INTS, least);
            for (int bit = 0; bit < width; bit++) {
                long plane = Memory.getInt(group + (long) bit * Integer.BYTES) & 0xFFFF_FFFFL;
                VectorMask<Integer> set = lanes(plane >>> k % BitPlanes.GROUP);
                exponent = exponent.add(1 << bit, set);
            }
            IntVector bits = bytes(upper + k);
            IntVector sign = bits.and(0x80).lanewise(VectorOperators.LSHL, 24);
            IntVector mantissa = bits.and(UPPER_MANTISSA).lanewise(VectorOperators.LSHL, Short.SIZE);
            IntVector value = exponent.and(EXPONENT)
                    .lanewise(VectorOperators.LSHL, EXPONENT_SHIFT)
                    .or(sign)
                    .or(mantissa);
            store(value, values + f32(k));
        }
        if (wholeMantissa) {
            addLower(lower, k, values);
        }
        ScalarExponents.decode(type, column, k, count, values);
    }

    /** Adds the lower halves to the mantissas of decoded values. */
    private static void addLower(long lower, int count, long values) {
        for (int k = 0; k < count; k += LANES) {
            IntVector half = (IntVector) shorts(lower + u16(k)).convertShape(VectorOperators.ZERO_EXTEND_S2I, INTS, 0);
            store(ints(values + f32(k)).or(half), values + f32(k));
        }
    }
}
