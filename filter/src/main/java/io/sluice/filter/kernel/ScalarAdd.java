package io.sluice.filter.kernel;

import static io.sluice.filter.kernel.Memory.f32;
import static io.sluice.filter.kernel.Memory.u16;

/** Adds blocks in plain Java. */
final class ScalarAdd implements AddKernel {
    @Override
    public boolean dense(long values, int elements, long target) {
        boolean finite = true;
        for (int i = 0; i < elements; i++) {
            finite &= add(target + f32(i), Memory.getFloat(values + f32(i)));
        }
        return finite;
    }

    @Override
    public boolean dense(float[] values, int from, int elements, long target) {
        boolean finite = true;
        for (int i = 0; i < elements; i++) {
            finite &= add(target + f32(i), values[from + i]);
        }
        return finite;
    }

    @Override
    public boolean bitmap(long bitmap, long values, int count, int elements, long target) {
        boolean finite = true;
        long value = values;
        for (int start = 0; start < elements; start += Long.SIZE) {
            long word = Memory.getLong(bitmap + start / Byte.SIZE);
            while (word != 0) {
                long at = target + f32(start + Long.numberOfTrailingZeros(word));
                finite &= add(at, Memory.getFloat(value));
                value += Float.BYTES;
                word &= word - 1;
            }
        }
        return finite;
    }

    @Override
    public boolean indices(long indices, long values, int count, long target) {
        boolean finite = true;
        for (int k = 0; k < count; k++) {
            long at = target + f32(Memory.getShort(indices + u16(k)));
            finite &= add(at, Memory.getFloat(values + f32(k)));
        }
        return finite;
    }

    @Override
    public boolean deltas(long deltas, long values, int count, long target) {
        boolean finite = true;
        long at = target;
        for (int k = 0; k < count; k++) {
            at += f32(Memory.getShort(deltas + u16(k)));
            finite &= add(at, Memory.getFloat(values + f32(k)));
            at += Float.BYTES;
        }
        return finite;
    }

    /** Adds to one element; returns whether the sum is finite. */
    private static boolean add(long address, float value) {
        float sum = Memory.getFloat(address) + value;
        Memory.putFloat(address, sum);
        return Math.abs(sum) <= Float.MAX_VALUE;
    }
}
