package io.sluice.filter.kernel;

import static io.sluice.filter.kernel.Memory.f32;
import static io.sluice.filter.kernel.Memory.u16;
import static io.sluice.filter.kernel.ScalarSplit.MAGNITUDE_BITS;

/** Adding blocks in plain Java. */
final class ScalarAdd implements AddKernel {
    @Override
    public boolean dense(long values, int elements, long target) {
        int greatest = 0;
        for (int i = 0; i < elements; i++) {
            greatest = add(greatest, target + f32(i), Memory.getFloat(values + f32(i)));
        }
        return ScalarSplit.isFinite(greatest);
    }

    @Override
    public boolean dense(float[] values, int from, int elements, long target) {
        int greatest = 0;
        for (int i = 0; i < elements; i++) {
            greatest = add(greatest, target + f32(i), values[from + i]);
        }
        return ScalarSplit.isFinite(greatest);
    }

    @Override
    public boolean bitmap(long bitmap, long values, int count, int elements, long target) {
        int greatest = 0;
        long value = values;
        for (int start = 0; start < elements; start += Long.SIZE) {
            long word = Memory.getLong(bitmap + start / Byte.SIZE);
            while (word != 0) {
                long at = target + f32(start + Long.numberOfTrailingZeros(word));
                greatest = add(greatest, at, Memory.getFloat(value));
                value += Float.BYTES;
                word &= word - 1;
            }
        }
        return ScalarSplit.isFinite(greatest);
    }

    @Override
    public boolean indices(long indices, long values, int count, long target) {
        int greatest = 0;
        for (int k = 0; k < count; k++) {
            long at = target + f32(Memory.getShort(indices + u16(k)));
            greatest = add(greatest, at, Memory.getFloat(values + f32(k)));
        }
        return ScalarSplit.isFinite(greatest);
    }

    @Override
    public boolean gaps(long gaps, long values, int count, long target) {
        int greatest = 0;
        long at = target;
        for (int k = 0; k < count; k++) {
            at += f32(Memory.getShort(gaps + u16(k)));
            greatest = add(greatest, at, Memory.getFloat(values + f32(k)));
            at += Float.BYTES;
        }
        return ScalarSplit.isFinite(greatest);
    }

    /** Adds to one element; returns the greater of its magnitude, as bits, and the greatest before. */
    private static int add(int greatest, long address, float value) {
        float sum = Memory.getFloat(address) + value;
        Memory.putFloat(address, sum);
        return Math.max(greatest, Float.floatToRawIntBits(sum) & MAGNITUDE_BITS);
    }
}
