package io.sluice.filter.kernel;

import static io.sluice.filter.kernel.Memory.f32;
import static io.sluice.filter.kernel.Memory.u16;
import static io.sluice.filter.kernel.Registers.BYTE_LANES;
import static io.sluice.filter.kernel.Registers.FLOATS;
import static io.sluice.filter.kernel.Registers.INTS;
import static io.sluice.filter.kernel.Registers.LANES;
import static io.sluice.filter.kernel.Registers.SHORTS;
import static io.sluice.filter.kernel.Registers.bytes;
import static io.sluice.filter.kernel.Registers.floats;
import static io.sluice.filter.kernel.Registers.greater;
import static io.sluice.filter.kernel.Registers.ints;
import static io.sluice.filter.kernel.Registers.shorts;
import static io.sluice.filter.kernel.Registers.store;
import static io.sluice.filter.kernel.Registers.storeBytes;
import static io.sluice.filter.kernel.ScalarSplit.MAGNITUDE_BITS;
import static io.sluice.filter.kernel.ScalarValues.NOTHING;

import io.sluice.codecs.LogScale;
import io.sluice.codecs.api.ValueType;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;

/**
 * Columns of values on the Vector API: it handles whole registers, and the twin handles the remainder.
 *
 * <p>A column of a received frame may end where mapped memory ends, so nothing after it is read.
 */
final class VectorValues implements ValuesKernel {
    private final ScalarValues scalar = new ScalarValues();
    private final VectorExponents exponents = new VectorExponents();
    private final VectorLevels levels = new VectorLevels();

    @Override
    public int encode(ValueType type, long values, int count, long column) {
        switch (type) {
            case F32 -> Memory.copy(values, column, f32(count));
            case BF16 -> toUpperHalves(values, count, column);
            case F16 -> toBinary16(values, count, column);
            case LOG8 -> toCodes(values, count, column);
            case LEVELS -> throw ScalarValues.notEncoded(type);
            default -> {
                return exponents.encode(type, values, count, column);
            }
        }
        return type.minLength(count);
    }

    @Override
    public void decode(ValueType type, long column, int count, long values) {
        switch (type) {
            case F32 -> Memory.copy(column, values, f32(count));
            case BF16 -> fromUpperHalves(column, count, values);
            case F16 -> fromBinary16(column, count, values);
            case LOG8 -> fromCodes(column, count, values);
            case LEVELS -> levels.decode(column, count, values);
            default -> exponents.decode(type, column, count, values);
        }
    }

    private static void toUpperHalves(long values, int count, long column) {
        int whole = INTS.loopBound(count);
        for (int k = 0; k < whole; k += LANES) {
            IntVector upper = ints(values + f32(k)).lanewise(VectorOperators.LSHR, Short.SIZE);
            store((ShortVector) upper.convertShape(VectorOperators.I2S, SHORTS, 0), column + u16(k));
        }
        ScalarValues.toUpperHalves(values, whole, count, column);
    }

    private static void fromUpperHalves(long column, int count, long values) {
        int whole = INTS.loopBound(count);
        for (int k = 0; k < whole; k += LANES) {
            IntVector upper =
                    (IntVector) shorts(column + u16(k)).convertShape(VectorOperators.ZERO_EXTEND_S2I, INTS, 0);
            store(upper.lanewise(VectorOperators.LSHL, Short.SIZE), values + f32(k));
        }
        ScalarValues.fromUpperHalves(column, whole, count, values);
    }

    private static void toBinary16(long values, int count, long column) {
        int align = Float.floatToRawIntBits(Binary16.ALIGN);
        int whole = INTS.loopBound(count);
        for (int k = 0; k < whole; k += LANES) {
            IntVector bits = ints(values + f32(k));
            IntVector magnitude = bits.and(MAGNITUDE_BITS);
            IntVector even =
                    magnitude.lanewise(VectorOperators.LSHR, Binary16.SHIFT).and(1);
            IntVector normal = magnitude
                    .add(even)
                    .add(Binary16.BELOW_HALF)
                    .lanewise(VectorOperators.LSHR, Binary16.SHIFT)
                    .sub(Binary16.REBIAS);
            IntVector small = magnitude
                    .reinterpretAsFloats()
                    .add(Binary16.ALIGN)
                    .reinterpretAsInts()
                    .sub(align);
            VectorMask<Integer> isSmall = magnitude.compare(VectorOperators.LT, Binary16.LEAST_NORMAL);
            IntVector code = normal.blend(small, isSmall).min(Binary16.GREATEST);
            IntVector sign = bits.lanewise(VectorOperators.LSHR, Short.SIZE).and(Binary16.SIGN);
            store((ShortVector) code.or(sign).convertShape(VectorOperators.I2S, SHORTS, 0), column + u16(k));
        }
        ScalarValues.toBinary16(values, whole, count, column);
    }

    private static void fromBinary16(long column, int count, long values) {
        int whole = INTS.loopBound(count);
        for (int k = 0; k < whole; k += LANES) {
            IntVector code = (IntVector) shorts(column + u16(k)).convertShape(VectorOperators.ZERO_EXTEND_S2I, INTS, 0);
            IntVector sign = code.and(Binary16.SIGN).lanewise(VectorOperators.LSHL, Short.SIZE);
            IntVector magnitude = code.and(~Binary16.SIGN)
                    .lanewise(VectorOperators.LSHL, Binary16.SHIFT)
                    .reinterpretAsFloats()
                    .mul(Binary16.UNSCALE)
                    .reinterpretAsInts();
            store(magnitude.or(sign), values + f32(k));
        }
        ScalarValues.fromBinary16(column, whole, count, values);
    }

    private void toCodes(long values, int count, long column) {
        int top = Float.floatToRawIntBits(maxAbs(values, count));
        int step = ScalarValues.logScale(column, leastMagnitude(values, count), top);
        int base = LogScale.base(column);
        float perStep = 1.0f / step;
        long codes = column + LogScale.HEADER_LENGTH;
        int whole = INTS.loopBound(count);
        for (int k = 0; k < whole; k += LANES) {
            IntVector bits = ints(values + f32(k));
            IntVector magnitude = bits.and(MAGNITUDE_BITS);
            FloatVector above = (FloatVector) magnitude.sub(base).convertShape(VectorOperators.I2F, FLOATS, 0);
            IntVector steps = (IntVector) above.mul(perStep).add(0.5f).convertShape(VectorOperators.F2I, INTS, 0);
            IntVector code = steps.min(LogScale.STEPS).add(1);
            VectorMask<Integer> isZero = magnitude.compare(VectorOperators.EQ, 0);
            IntVector sign = bits.lanewise(VectorOperators.LSHR, 24).and(0x80);
            storeBytes(code.blend(0, isZero).or(sign), codes + k);
        }
        ScalarValues.toCodes(values, whole, count, step, base, column);
    }

    private static int leastMagnitude(long values, int count) {
        int whole = INTS.loopBound(count);
        IntVector least = IntVector.broadcast(INTS, MAGNITUDE_BITS);
        for (int k = 0; k < whole; k += LANES) {
            IntVector magnitude = ints(values + f32(k)).and(MAGNITUDE_BITS);
            least = least.min(magnitude.blend(MAGNITUDE_BITS, magnitude.compare(VectorOperators.EQ, 0)));
        }
        return ScalarValues.leastMagnitude(values, whole, count, least.reduceLanes(VectorOperators.MIN));
    }

    private static void fromCodes(long column, int count, long values) {
        int base = LogScale.base(column);
        int step = LogScale.step(column);
        long codes = column + LogScale.HEADER_LENGTH;
        int k = 0;
        for (; k <= count - BYTE_LANES; k += LANES) {
            IntVector code = bytes(codes + k);
            IntVector steps = code.and(0x7F);
            IntVector magnitude = steps.sub(1).mul(step).add(base).and(MAGNITUDE_BITS);
            VectorMask<Integer> isZero = steps.compare(VectorOperators.EQ, 0);
            IntVector sign = code.and(0x80).lanewise(VectorOperators.LSHL, 24);
            store(magnitude.blend(0, isZero).or(sign), values + f32(k));
        }
        ScalarValues.fromCodes(column, k, count, values);
    }

    @Override
    public void subtract(long coded, int count, long values) {
        int whole = FLOATS.loopBound(count);
        for (int k = 0; k < whole; k += LANES) {
            FloatVector sent = floats(coded + f32(k));
            FloatVector meant = floats(values + f32(k));
            store(meant.sub(sent).blend(NOTHING, meant.compare(VectorOperators.EQ, sent)), values + f32(k));
        }
        ScalarValues.subtract(coded, whole, count, values);
    }

    @Override
    public float maxAbs(long values, int count) {
        int whole = INTS.loopBound(count);
        IntVector max = IntVector.zero(INTS);
        for (int k = 0; k < whole; k += LANES) {
            max = max.max(ints(values + f32(k)).and(MAGNITUDE_BITS));
        }
        float tail = scalar.maxAbs(values + f32(whole), count - whole);
        return greater(max, tail);
    }

    @Override
    public float maxAbs(float[] values, int from, int count) {
        int whole = FLOATS.loopBound(count);
        IntVector max = IntVector.zero(INTS);
        for (int k = 0; k < whole; k += LANES) {
            IntVector bits = FloatVector.fromArray(FLOATS, values, from + k).reinterpretAsInts();
            max = max.max(bits.and(MAGNITUDE_BITS));
        }
        float tail = scalar.maxAbs(values, from + whole, count - whole);
        return greater(max, tail);
    }
}
