package io.sluice.filter.kernel;

import static io.sluice.filter.kernel.Memory.f32;

/**
 * The filter's pass in plain Java.
 *
 * <p>No processor can predict which elements are kept. So integer arithmetic on the bits of the floats decides it, not
 * branches: every value is stored, and the next one overwrites it unless it was kept.
 */
final class ScalarSplit implements ThresholdKernel {
    static final int MAGNITUDE_BITS = 0x7FFF_FFFF;

    /** Bits of infinity; the bits of every NaN without its sign are greater. */
    static final int INFINITY_BITS = 0x7F80_0000;

    private static final int GREATEST_BF16_BITS = Float.floatToRawIntBits(GREATEST_BF16);

    /** The bits that an f32 shares with its bfloat16. */
    static final int BF16_MASK = 0xFFFF_0000;

    /** A little less than half of the last place of a bfloat16. */
    static final int BELOW_HALF = 0x7FFF;

    @Override
    public int filter(
            long update, long residual, int elements, float threshold, boolean bf16, long bitmap, long values) {
        int thresholdBits = Float.floatToRawIntBits(threshold) & MAGNITUDE_BITS;
        int count = 0;
        for (int start = 0; start < elements; start += Long.SIZE) {
            int lanes = Math.min(Long.SIZE, elements - start);
            long word = 0;
            for (int lane = 0; lane < lanes; lane++) {
                long r = residual + f32(start + lane);
                float v = Memory.getFloat(r) + Memory.getFloat(update + f32(start + lane));
                int kept = split(v, thresholdBits, bf16, r, values + f32(count));
                word |= (long) kept << lane;
                count += kept;
            }
            Memory.putLong(bitmap + start / Byte.SIZE, word);
        }
        return count;
    }

    @Override
    public int filterResidual(long residual, int elements, float threshold, boolean bf16, long bitmap, long values) {
        int thresholdBits = Float.floatToRawIntBits(threshold) & MAGNITUDE_BITS;
        int count = 0;
        for (int start = 0; start < elements; start += Long.SIZE) {
            int lanes = Math.min(Long.SIZE, elements - start);
            long word = 0;
            for (int lane = 0; lane < lanes; lane++) {
                long r = residual + f32(start + lane);
                int kept = split(Memory.getFloat(r), thresholdBits, bf16, r, values + f32(count));
                word |= (long) kept << lane;
                count += kept;
            }
            Memory.putLong(bitmap + start / Byte.SIZE, word);
        }
        return count;
    }

    /**
     * Stores v as a value, and the part of it that is not sent as the residual. Returns 1 if the value is kept,
     * otherwise 0.
     */
    private static int split(float v, int thresholdBits, boolean bf16, long residual, long value) {
        int bits = Float.floatToRawIntBits(v);
        int magnitude = bits & MAGNITUDE_BITS;
        int kept = isGreater(magnitude, thresholdBits);
        if (bf16) {
            kept &= isGreater(GREATEST_BF16_BITS + 1, magnitude);
        }
        int sent = bf16 ? toBf16(bits) : bits;
        int lostBits = bf16 ? Float.floatToRawIntBits(v - Float.intBitsToFloat(sent)) : 0;
        Memory.putInt(value, sent);
        Memory.putInt(residual, lostBits & -kept | bits & kept - 1);
        return kept;
    }

    /**
     * Returns 1 if a magnitude is greater than another, otherwise 0. Both are bit patterns, in which NaNs are greater
     * than infinity.
     */
    private static int isGreater(int magnitude, int other) {
        return other - magnitude >>> 31;
    }

    private static int toBf16(int bits) {
        return bits + (bits >>> Short.SIZE & 1) + BELOW_HALF & BF16_MASK;
    }
}
