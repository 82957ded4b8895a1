package io.sluice.filter;

import static io.sluice.filter.Layout.WORD;
import static io.sluice.filter.Layout.f32;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * The kernels on the Vector API, in the widest registers the processor prefers.
 *
 * <p>Work goes by bitmap words: 64 elements are a whole number of registers of any width, so each word is put
 * together from comparison masks in a register and stored once. Kept lanes are moved together by {@code compress} and
 * stored as a full register; the lanes of rubbish behind them are overwritten by the next store, and fit because k
 * values are never kept of fewer than k elements. The elements behind the last full word are done under masks, so
 * that no byte outside the operands is touched.
 */
public final class VectorKernels implements Kernels {
    private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Integer> INT_SPECIES = IntVector.SPECIES_PREFERRED;
    private static final int LANES = SPECIES.length();
    private static final int MAGNITUDE_BITS = 0x7FFF_FFFF;

    /** Scatters go one by one on any processor, so there is nothing to gain here. */
    private final ScalarKernels scalar = new ScalarKernels();

    @Override
    public String name() {
        return "vector x" + LANES;
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
        int whole = elements & -Long.SIZE;
        long value = valuesOffset;
        for (int start = 0; start < whole; start += Long.SIZE) {
            long word = 0;
            for (int lane = 0; lane < Long.SIZE; lane += LANES) {
                long at = f32(start + lane);
                FloatVector r = load(residual, residualOffset + at);
                FloatVector v = r.add(load(update, updateOffset + at));
                VectorMask<Float> kept = v.abs().compare(VectorOperators.GT, threshold);
                long bits = kept.toLong();
                v.compress(kept).intoMemorySegment(block, value, LITTLE_ENDIAN);
                v.blend(0.0f, kept).intoMemorySegment(residual, residualOffset + at, LITTLE_ENDIAN);
                value += f32(Long.bitCount(bits));
                word |= bits << lane;
            }
            block.set(WORD, bitmapOffset + start / Byte.SIZE, word);
        }
        long word = 0;
        for (int i = whole; i < elements; i += LANES) {
            VectorMask<Float> valid = SPECIES.indexInRange(i, elements);
            FloatVector r = load(residual, residualOffset + f32(i), valid);
            FloatVector v = r.add(load(update, updateOffset + f32(i), valid));
            long bits = finish(v, valid, threshold, residual, residualOffset + f32(i), block, value);
            value += f32(Long.bitCount(bits));
            word |= bits << (i - whole);
        }
        if (whole < elements) {
            block.set(WORD, bitmapOffset + whole / Byte.SIZE, word);
        }
        return (int) ((value - valuesOffset) / Float.BYTES);
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
        int whole = elements & -Long.SIZE;
        long value = valuesOffset;
        for (int start = 0; start < whole; start += Long.SIZE) {
            long word = 0;
            for (int lane = 0; lane < Long.SIZE; lane += LANES) {
                long at = residualOffset + f32(start + lane);
                FloatVector v = load(residual, at);
                VectorMask<Float> kept = v.abs().compare(VectorOperators.GT, threshold);
                long bits = kept.toLong();
                v.compress(kept).intoMemorySegment(block, value, LITTLE_ENDIAN);
                v.blend(0.0f, kept).intoMemorySegment(residual, at, LITTLE_ENDIAN);
                value += f32(Long.bitCount(bits));
                word |= bits << lane;
            }
            block.set(WORD, bitmapOffset + start / Byte.SIZE, word);
        }
        long word = 0;
        for (int i = whole; i < elements; i += LANES) {
            VectorMask<Float> valid = SPECIES.indexInRange(i, elements);
            FloatVector v = load(residual, residualOffset + f32(i), valid);
            long bits = finish(v, valid, threshold, residual, residualOffset + f32(i), block, value);
            value += f32(Long.bitCount(bits));
            word |= bits << (i - whole);
        }
        if (whole < elements) {
            block.set(WORD, bitmapOffset + whole / Byte.SIZE, word);
        }
        return (int) ((value - valuesOffset) / Float.BYTES);
    }

    /**
     * One register of the tail: splits it between values and residual under masks, and returns the bits of the kept.
     */
    private static long finish(
            FloatVector v,
            VectorMask<Float> valid,
            float threshold,
            MemorySegment residual,
            long residualOffset,
            MemorySegment block,
            long valueOffset) {
        VectorMask<Float> kept = v.abs().compare(VectorOperators.GT, threshold).and(valid);
        v.compress(kept).intoMemorySegment(block, valueOffset, LITTLE_ENDIAN, kept.compress());
        v.blend(0.0f, kept).intoMemorySegment(residual, residualOffset, LITTLE_ENDIAN, valid);
        return kept.toLong();
    }

    @Override
    public void addDense(
            MemorySegment block, long valuesOffset, int elements, MemorySegment target, long targetOffset) {
        int whole = SPECIES.loopBound(elements);
        for (int i = 0; i < whole; i += LANES) {
            FloatVector sum = load(target, targetOffset + f32(i)).add(load(block, valuesOffset + f32(i)));
            sum.intoMemorySegment(target, targetOffset + f32(i), LITTLE_ENDIAN);
        }
        if (whole < elements) {
            VectorMask<Float> valid = SPECIES.indexInRange(whole, elements);
            FloatVector t = load(target, targetOffset + f32(whole), valid);
            FloatVector sum = t.add(load(block, valuesOffset + f32(whole), valid));
            sum.intoMemorySegment(target, targetOffset + f32(whole), LITTLE_ENDIAN, valid);
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
        long lastFullLoad = valuesOffset + f32(count - LANES);
        int start = 0;
        // The block may end where mapped memory ends: a full register is only loaded while as many values are left.
        for (; start <= elements - Long.SIZE && value <= lastFullLoad - f32(Long.SIZE); start += Long.SIZE) {
            long word = block.get(WORD, bitmapOffset + start / Byte.SIZE);
            for (int lane = 0; lane < Long.SIZE; lane += LANES) {
                long at = targetOffset + f32(start + lane);
                VectorMask<Float> present = VectorMask.fromLong(SPECIES, word >>> lane);
                FloatVector values = load(block, value).expand(present);
                load(target, at).add(values, present).intoMemorySegment(target, at, LITTLE_ENDIAN);
                value += f32(present.trueCount());
            }
        }
        for (; start < elements; start += Long.SIZE) {
            long word = block.get(WORD, bitmapOffset + start / Byte.SIZE);
            value = scatterWord(word, block, value, target, targetOffset + f32(start));
        }
    }

    private static long scatterWord(
            long bits, MemorySegment block, long from, MemorySegment target, long targetOffset) {
        long word = bits;
        long value = from;
        while (word != 0) {
            long at = targetOffset + f32(Long.numberOfTrailingZeros(word));
            target.set(Layout.F32, at, target.get(Layout.F32, at) + block.get(Layout.F32, value));
            value += Float.BYTES;
            word &= word - 1;
        }
        return value;
    }

    @Override
    public void addIndex(
            MemorySegment block,
            long indexOffset,
            long valuesOffset,
            int count,
            MemorySegment target,
            long targetOffset) {
        scalar.addIndex(block, indexOffset, valuesOffset, count, target, targetOffset);
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
        long end = valuesOffset + f32(count);
        for (int i = 0; i < elements; i += LANES) {
            long word = bitmap.get(WORD, bitmapOffset + (long) (i / Long.SIZE) * Long.BYTES);
            VectorMask<Float> present = VectorMask.fromLong(SPECIES, word >>> i);
            VectorMask<Float> left = SPECIES.indexInRange(0, (end - value) / Float.BYTES);
            VectorMask<Float> valid = SPECIES.indexInRange(i, elements);
            FloatVector values = load(block, value, left).expand(present);
            values.intoMemorySegment(block, denseOffset + f32(i), LITTLE_ENDIAN, valid);
            value += f32(present.trueCount());
        }
    }

    @Override
    public float maxAbs(MemorySegment values, long offset, int count) {
        int whole = SPECIES.loopBound(count);
        IntVector max = IntVector.zero(INT_SPECIES);
        for (int i = 0; i < whole; i += LANES) {
            // Loaded as floats: the compiler cannot load ints from a segment over a float[] without boxing them.
            IntVector bits = load(values, offset + f32(i)).reinterpretAsInts();
            max = max.max(bits.and(MAGNITUDE_BITS));
        }
        float tail = scalar.maxAbs(values, offset + f32(whole), count - whole);
        int most = Math.max(max.reduceLanes(VectorOperators.MAX), Float.floatToRawIntBits(tail));
        return Float.intBitsToFloat(most);
    }

    private static FloatVector load(MemorySegment segment, long offset) {
        return FloatVector.fromMemorySegment(SPECIES, segment, offset, LITTLE_ENDIAN);
    }

    private static FloatVector load(MemorySegment segment, long offset, VectorMask<Float> lanes) {
        return FloatVector.fromMemorySegment(SPECIES, segment, offset, LITTLE_ENDIAN, lanes);
    }
}
