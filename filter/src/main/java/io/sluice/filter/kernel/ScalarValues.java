package io.sluice.filter.kernel;

import static io.sluice.filter.kernel.Memory.f32;
import static io.sluice.filter.kernel.Memory.u16;
import static io.sluice.filter.kernel.ScalarSplit.MAGNITUDE_BITS;

import io.sluice.codecs.LogScale;
import io.sluice.codecs.api.ValueType;

/** Columns of values in plain Java. */
final class ScalarValues implements ValuesKernel {
    /** The identity of addition: adding it changes nothing, not even -0.0 to +0.0. */
    static final float NOTHING = -0.0f;

    private final ScalarExponents exponents = new ScalarExponents();
    private final ScalarLevels levels = new ScalarLevels();

    @Override
    public int encode(ValueType type, long values, int count, long column) {
        switch (type) {
            case F32 -> Memory.copy(values, column, f32(count));
            case BF16 -> toUpperHalves(values, 0, count, column);
            case F16 -> toBinary16(values, 0, count, column);
            case LOG8 -> {
                int base = leastMagnitude(values, 0, count, MAGNITUDE_BITS);
                int top = Float.floatToRawIntBits(maxAbs(values, count));
                toCodes(values, 0, count, logScale(column, base, top), LogScale.base(column), column);
            }
            case LEVELS -> throw notEncoded(type);
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
            case BF16 -> fromUpperHalves(column, 0, count, values);
            case F16 -> fromBinary16(column, 0, count, values);
            case LOG8 -> fromCodes(column, 0, count, values);
            case LEVELS -> levels.decode(column, count, values);
            default -> exponents.decode(type, column, count, values);
        }
    }

    static IllegalArgumentException notEncoded(ValueType type) {
        return new IllegalArgumentException("type of a column is " + type + ", expected one without scales");
    }

    static void toUpperHalves(long values, int from, int count, long column) {
        for (int k = from; k < count; k++) {
            Memory.putShort(column + u16(k), Memory.getInt(values + f32(k)) >>> Short.SIZE);
        }
    }

    static void fromUpperHalves(long column, int from, int count, long values) {
        for (int k = from; k < count; k++) {
            Memory.putInt(values + f32(k), Memory.getShort(column + u16(k)) << Short.SIZE);
        }
    }

    static void toBinary16(long values, int from, int count, long column) {
        for (int k = from; k < count; k++) {
            int half = Float.floatToFloat16(Memory.getFloat(values + f32(k)));
            int magnitude = Math.min(half & ~Binary16.SIGN & 0xFFFF, Binary16.GREATEST); // no infinity, no NaN
            Memory.putShort(column + u16(k), half & Binary16.SIGN | magnitude);
        }
    }

    static void fromBinary16(long column, int from, int count, long values) {
        for (int k = from; k < count; k++) {
            int code = Memory.getShort(column + u16(k));
            float magnitude = Float.intBitsToFloat((code & ~Binary16.SIGN) << Binary16.SHIFT) * Binary16.UNSCALE;
            int sign = (code & Binary16.SIGN) << Short.SIZE;
            Memory.putInt(values + f32(k), Float.floatToRawIntBits(magnitude) | sign);
        }
    }

    /**
     * Bits of the least magnitude that is not zero and below {@code bound}; {@code bound} if there is none.
     */
    static int leastMagnitude(long values, int from, int count, int bound) {
        int least = bound;
        for (int k = from; k < count; k++) {
            int magnitude = Memory.getInt(values + f32(k)) & MAGNITUDE_BITS;
            least = magnitude == 0 ? least : Math.min(least, magnitude);
        }
        return least;
    }

    /** Writes the header of a LOG8 column and returns its step. If all values are zero, the scale is zero. */
    static int logScale(long column, int least, int top) {
        int base = top == 0 ? 0 : least;
        int step = LogScale.step(base, top);
        LogScale.write(column, base, step);
        return step;
    }

    static void toCodes(long values, int from, int count, int step, int base, long column) {
        float perStep = 1.0f / step;
        for (int k = from; k < count; k++) {
            int bits = Memory.getInt(values + f32(k));
            int magnitude = bits & MAGNITUDE_BITS;
            int steps = Math.min((int) ((float) (magnitude - base) * perStep + 0.5f), LogScale.STEPS);
            int code = magnitude == 0 ? 0 : steps + 1;
            Memory.putByte(column + LogScale.HEADER_LENGTH + k, bits >>> 24 & 0x80 | code);
        }
    }

    static void fromCodes(long column, int from, int count, long values) {
        int base = LogScale.base(column);
        int step = LogScale.step(column);
        for (int k = from; k < count; k++) {
            int code = Memory.getByte(column + LogScale.HEADER_LENGTH + k);
            int steps = code & 0x7F;
            int magnitude = steps == 0 ? 0 : base + (steps - 1) * step & MAGNITUDE_BITS;
            Memory.putInt(values + f32(k), magnitude | (code & 0x80) << 24);
        }
    }

    @Override
    public void subtract(long coded, int count, long values) {
        subtract(coded, 0, count, values);
    }

    static void subtract(long coded, int from, int count, long values) {
        for (int k = from; k < count; k++) {
            float sent = Memory.getFloat(coded + f32(k));
            float meant = Memory.getFloat(values + f32(k));
            Memory.putFloat(values + f32(k), meant == sent ? NOTHING : meant - sent);
        }
    }

    @Override
    public float maxAbs(long values, int count) {
        int max = 0;
        for (int i = 0; i < count; i++) {
            max = Math.max(max, Memory.getInt(values + f32(i)) & MAGNITUDE_BITS);
        }
        return Float.intBitsToFloat(max);
    }

    @Override
    public float maxAbs(float[] values, int from, int count) {
        int max = 0;
        for (int i = from; i < from + count; i++) {
            max = Math.max(max, Float.floatToRawIntBits(values[i]) & MAGNITUDE_BITS);
        }
        return Float.intBitsToFloat(max);
    }
}
