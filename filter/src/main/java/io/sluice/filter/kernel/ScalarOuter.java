package io.sluice.filter.kernel;

import static io.sluice.filter.kernel.Memory.f32;

/** Adds outer products in plain Java. */
final class ScalarOuter implements OuterKernel {
    @Override
    public boolean dense(long u, long v, int groups, int rows, int columns, long w) {
        return dense(u, v, groups, rows, columns, 0, w);
    }

    /** Adds to the columns from {@code first} on. */
    boolean dense(long u, long v, int groups, int rows, int columns, int first, long w) {
        boolean finite = true;
        for (int row = 0; row < rows; row++) {
            long target = w + f32((long) row * columns);
            for (int group = 0; group < groups; group++) {
                float factor = Memory.getFloat(u + f32((long) group * rows + row));
                long vector = v + f32((long) group * columns);
                for (int i = first; i < columns; i++) {
                    float sum = Memory.getFloat(f32(target, i)) + factor * Memory.getFloat(f32(vector, i));
                    Memory.putFloat(f32(target, i), sum);
                }
            }
            for (int i = first; i < columns; i++) {
                finite &= Math.abs(Memory.getFloat(f32(target, i))) <= Float.MAX_VALUE;
            }
        }
        return finite;
    }

    @Override
    public int nonZeros(long vector, int elements, int most, long indices, long values) {
        return nonZeros(vector, 0, elements, 0, most, indices, values);
    }

    /** Lists the elements from {@code first} to before {@code end}, after those that are already listed. */
    static int nonZeros(long vector, int first, int end, int listed, int most, long indices, long values) {
        int count = listed;
        for (int i = first; i < end; i++) {
            float value = Memory.getFloat(f32(vector, i));
            if (value != 0) {
                if (count == most) {
                    return -1;
                }
                Memory.putInt(f32(indices, count), i);
                Memory.putFloat(f32(values, count), value);
                count++;
            }
        }
        return count;
    }
}
