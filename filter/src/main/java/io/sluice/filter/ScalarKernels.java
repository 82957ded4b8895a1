package io.sluice.filter;

import static io.sluice.filter.Layout.F32;
import static io.sluice.filter.Layout.F32_BITS;
import static io.sluice.filter.Layout.WORD;
import static io.sluice.filter.Layout.f32;

import java.lang.foreign.MemorySegment;

/**
 * The kernels in plain Java: what the vector kernels must equal bit for bit, and what runs where there is no Vector
 * API.
 *
 * <p>Which elements are kept is as good as random, so the filter decides by integer arithmetic on the bits of the
 * floats instead of by branches that no processor can predict: every value is stored, and overwritten by the next one
 * unless it was kept.
 */
public final class ScalarKernels implements Kernels {
    private static final int MAGNITUDE_BITS = 0x7FFF_FFFF;
    private static final int INFINITY_BITS = 0x7F80_0000;

    @Override
    public String name() {
        return "scalar";
    }

    @Override
    public int filter(
            MemorySegment update,
            long updateOffset,
            MemorySegment residual,
            long residualOffset,
            int elements,
            float threshold,
            MemorySegment block,
            long bitmapOffset,
            long valuesOffset) {
        int thresholdBits = Float.floatToRawIntBits(threshold) & MAGNITUDE_BITS;
        int count = 0;
        for (int start = 0; start < elements; start += Long.SIZE) {
            int lanes = Math.min(Long.SIZE, elements - start);
            long word = 0;
            for (int lane = 0; lane < lanes; lane++) {
                long at = f32(start + lane);
                float v = residual.get(F32, residualOffset + at) + update.get(F32, updateOffset + at);
                int bits = Float.floatToRawIntBits(v);
                int kept = isAbove(bits, thresholdBits);
                block.set(F32_BITS, valuesOffset + f32(count), bits);
                residual.set(F32_BITS, residualOffset + at, bits & (kept - 1));
                word |= (long) kept << lane;
                count += kept;
            }
            block.set(WORD, bitmapOffset + start / Byte.SIZE, word);
        }
        return count;
    }

    @Override
    public int drain(
            MemorySegment residual,
            long residualOffset,
            int elements,
            float threshold,
            MemorySegment block,
            long bitmapOffset,
            long valuesOffset) {
        int thresholdBits = Float.floatToRawIntBits(threshold) & MAGNITUDE_BITS;
        int count = 0;
        for (int start = 0; start < elements; start += Long.SIZE) {
            int lanes = Math.min(Long.SIZE, elements - start);
            long word = 0;
            for (int lane = 0; lane < lanes; lane++) {
                long at = residualOffset + f32(start + lane);
                float v = residual.get(F32, at);
                int bits = Float.floatToRawIntBits(v);
                int kept = isAbove(bits, thresholdBits);
                block.set(F32_BITS, valuesOffset + f32(count), bits);
                residual.set(F32_BITS, at, bits & (kept - 1));
                word |= (long) kept << lane;
                count += kept;
            }
            block.set(WORD, bitmapOffset + start / Byte.SIZE, word);
        }
        return count;
    }

    @Override
    public void addDense(
            MemorySegment block, long valuesOffset, int elements, MemorySegment target, long targetOffset) {
        for (int i = 0; i < elements; i++) {
            add(target, targetOffset + f32(i), block.get(F32, valuesOffset + f32(i)));
        }
    }

    @Override
    public void addBitmap(
            MemorySegment block,
            long bitmapOffset,
            long valuesOffset,
            int count,
            int elements,
            MemorySegment target,
            long targetOffset) {
        long value = valuesOffset;
        for (int start = 0; start < elements; start += Long.SIZE) {
            long word = block.get(WORD, bitmapOffset + start / Byte.SIZE);
            while (word != 0) {
                int i = start + Long.numberOfTrailingZeros(word);
                add(target, targetOffset + f32(i), block.get(F32, value));
                value += Float.BYTES;
                word &= word - 1;
            }
        }
    }

    @Override
    public void addIndex(
            MemorySegment block,
            long indexOffset,
            long valuesOffset,
            int count,
            MemorySegment target,
            long targetOffset) {
        for (int k = 0; k < count; k++) {
            int i = Layout.index(block, indexOffset, k);
            add(target, targetOffset + f32(i), block.get(F32, valuesOffset + f32(k)));
        }
    }

    @Override
    public void expand(
            MemorySegment bitmap,
            long bitmapOffset,
            MemorySegment block,
            long valuesOffset,
            int count,
            int elements,
            long denseOffset) {
        long value = valuesOffset;
        for (int i = 0; i < elements; i++) {
            long word = bitmap.get(WORD, bitmapOffset + (long) (i / Long.SIZE) * Long.BYTES);
            boolean present = (word >>> i & 1) != 0;
            int bits = present ? block.get(F32_BITS, value) : 0;
            block.set(F32_BITS, denseOffset + f32(i), bits);
            value += present ? Float.BYTES : 0;
        }
    }

    @Override
    public float maxAbs(MemorySegment values, long offset, int count) {
        int max = 0;
        for (int i = 0; i < count; i++) {
            max = Math.max(max, values.get(F32_BITS, offset + f32(i)) & MAGNITUDE_BITS);
        }
        return Float.intBitsToFloat(max);
    }

    /** 1 if the magnitude is above the threshold and no NaN, else 0. Both differences are negative exactly then. */
    private static int isAbove(int bits, int thresholdBits) {
        int magnitude = bits & MAGNITUDE_BITS;
        return ((thresholdBits - magnitude) & (magnitude - INFINITY_BITS - 1)) >>> 31;
    }

    private static void add(MemorySegment target, long offset, float value) {
        target.set(F32, offset, target.get(F32, offset) + value);
    }
}
