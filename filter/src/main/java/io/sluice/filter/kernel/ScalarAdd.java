package io.sluice.filter.kernel;

import static io.sluice.filter.kernel.Memory.f32;
import static io.sluice.filter.kernel.Memory.u16;

/** Adding blocks in plain Java. */
final class ScalarAdd implements AddKernel {
    @Override
    public void dense(long values, int elements, long target) {
        for (int i = 0; i < elements; i++) {
            add(target + f32(i), Memory.getFloat(values + f32(i)));
        }
    }

    @Override
    public void dense(float[] values, int from, int elements, long target) {
        for (int i = 0; i < elements; i++) {
            add(target + f32(i), values[from + i]);
        }
    }

    @Override
    public void bitmap(long bitmap, long values, int count, int elements, long target) {
        long value = values;
        for (int start = 0; start < elements; start += Long.SIZE) {
            long word = Memory.getLong(bitmap + start / Byte.SIZE);
            while (word != 0) {
                add(target + f32(start + Long.numberOfTrailingZeros(word)), Memory.getFloat(value));
                value += Float.BYTES;
                word &= word - 1;
            }
        }
    }

    @Override
    public void indices(long indices, long values, int count, long target) {
        for (int k = 0; k < count; k++) {
            add(target + f32(Memory.getShort(indices + u16(k))), Memory.getFloat(values + f32(k)));
        }
    }

    @Override
    public void gaps(long gaps, long values, int count, long target) {
        long at = target;
        for (int k = 0; k < count; k++) {
            at += f32(Memory.getShort(gaps + u16(k)));
            add(at, Memory.getFloat(values + f32(k)));
            at += Float.BYTES;
        }
    }

    private static void add(long address, float value) {
        Memory.putFloat(address, Memory.getFloat(address) + value);
    }
}
