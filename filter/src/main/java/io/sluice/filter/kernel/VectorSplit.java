package io.sluice.filter.kernel;

import static io.sluice.filter.kernel.Memory.f32;
import static io.sluice.filter.kernel.Registers.LANES;
import static io.sluice.filter.kernel.Registers.floats;
import static io.sluice.filter.kernel.Registers.isAbove;
import static io.sluice.filter.kernel.Registers.isBetween;
import static io.sluice.filter.kernel.Registers.store;
import static io.sluice.filter.kernel.Registers.toBf16;

import io.sluice.codecs.OffHeap;
import java.lang.foreign.Arena;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;

/**
 * The filter's pass on the Vector API.
 *
 * <p>The unit of work is a bitmap word: 64 elements are a whole number of registers of any width, so each word is
 * assembled from comparison masks in a register and stored once. The kept lanes are moved together, by {@code compress}
 * here and by a table in {@link VectorTableSplit}, and stored as a full register; the next store overwrites the unused
 * lanes, which fit because k values are never kept of fewer than k elements. Four registers are in flight at a time,
 * and accesses that can miss the cache precede those that depend on the number kept. The scalar twin handles the
 * elements after the last full word.
 *
 * <p>The package's description says why the loops share so little code.
 */
final class VectorSplit implements ThresholdKernel {
    private static final int STEP = 4 * LANES;
    private static final long REGISTER = f32(LANES);

    /** A step of {@link ScalarValues#NOTHING}, which {@link #filterResidual} adds repeatedly. */
    private static final long NOTHINGS = nothings();

    /**
     * Elements of a block of {@link #filterResidual}: large enough that the first, whose density is guessed, does not
     * matter.
     */
    private static final int BLOCK = 1 << 11;

    /** Bytes of values of a sparse block: one element in 32; two of five registers of 16 lanes have one. */
    private static final long SPARSE_BLOCK = f32(BLOCK / 32);

    private static final long ADVANCING = -1;
    private static final long STANDING = 0;

    private final ScalarSplit scalar = new ScalarSplit();

    private static long nothings() {
        long address = Arena.global().allocate(f32(STEP), OffHeap.ALIGNMENT).address();
        for (int i = 0; i < STEP; i++) {
            Memory.putFloat(address + f32(i), ScalarValues.NOTHING);
        }
        return address;
    }

    @Override
    public int filter(
            long update, long residual, int elements, float threshold, boolean bf16, long bitmap, long values) {
        int whole = elements & -Long.SIZE;
        long end = bf16
                ? rounded(update, ADVANCING, residual, whole, threshold, bitmap, values)
                : exact(update, ADVANCING, residual, whole, threshold, bitmap, values);
        int kept = (int) ((end - values) / Float.BYTES);
        if (whole == elements) {
            return kept;
        }
        long words = bitmap + whole / Byte.SIZE;
        return kept
                + scalar.filter(
                        update + f32(whole), residual + f32(whole), elements - whole, threshold, bf16, words, end);
    }

    @Override
    public int filterResidual(long residual, int elements, float threshold, boolean bf16, long bitmap, long values) {
        int whole = elements & -Long.SIZE;
        long end = bf16
                ? rounded(NOTHINGS, STANDING, residual, whole, threshold, bitmap, values)
                : filterResidual(residual, whole, threshold, bitmap, values);
        int kept = (int) ((end - values) / Float.BYTES);
        if (whole == elements) {
            return kept;
        }
        long words = bitmap + whole / Byte.SIZE;
        return kept + scalar.filterResidual(residual + f32(whole), elements - whole, threshold, bf16, words, end);
    }

    /**
     * Works by blocks: after a sparse block, the next one is written only where values are taken out. That halves the
     * memory traffic, which is the bottleneck: a residual to encode is seldom in the cache. In denser blocks nearly
     * every register is written anyway, and the branch would be mispredicted.
     */
    private static long filterResidual(long residual, int whole, float threshold, long bitmap, long values) {
        long value = values;
        boolean sparse = true;
        for (int start = 0; start < whole; start += BLOCK) {
            long from = residual + f32(start);
            int length = Math.min(BLOCK, whole - start);
            long words = bitmap + start / Byte.SIZE;
            long end = sparse
                    ? sparse(from, length, threshold, words, value)
                    : exact(NOTHINGS, STANDING, from, length, threshold, words, value);
            sparse = end - value <= SPARSE_BLOCK;
            value = end;
        }
        return value;
    }

    /**
     * As {@link #exact(long, long, long, int, float, long, long)} without an update, and without storing unchanged
     * registers.
     */
    private static long sparse(long residual, int whole, float threshold, long bitmap, long values) {
        if (LaneTables.COVER_REGISTERS) {
            return VectorTableSplit.sparse(residual, whole, threshold, bitmap, values);
        }
        long value = values;
        for (int start = 0; start < whole; start += Long.SIZE) {
            long word = 0;
            for (int part = 0; part < Long.SIZE; part += LANES) {
                long r = residual + f32(start + part);
                FloatVector v = floats(r);
                VectorMask<Float> kept = isAbove(v.abs(), threshold);
                if (kept.anyTrue()) {
                    store(v.blend(0.0f, kept), r);
                    store(v.compress(kept), value);
                    long bits = kept.toLong();
                    value += f32(Long.bitCount(bits));
                    word |= bits << part;
                }
            }
            Memory.putLong(bitmap + start / Byte.SIZE, word);
        }
        return value;
    }

    /** Returns the address after the last value. Offsets into the update are ANDed with {@code advance}. */
    private static long exact(
            long update, long advance, long residual, int whole, float threshold, long bitmap, long values) {
        if (LaneTables.COVER_REGISTERS) {
            return VectorTableSplit.exact(update, advance, residual, whole, threshold, bitmap, values);
        }
        long value = values;
        for (int start = 0; start < whole; start += Long.SIZE) {
            long word = 0;
            for (int part = 0; part < Long.SIZE; part += STEP) {
                long r = residual + f32(start + part);
                long u = update + (f32(start + part) & advance);
                FloatVector v0 = floats(r).add(floats(u));
                FloatVector v1 = floats(r + REGISTER).add(floats(u + REGISTER));
                FloatVector v2 = floats(r + 2 * REGISTER).add(floats(u + 2 * REGISTER));
                FloatVector v3 = floats(r + 3 * REGISTER).add(floats(u + 3 * REGISTER));
                VectorMask<Float> k0 = isAbove(v0.abs(), threshold);
                VectorMask<Float> k1 = isAbove(v1.abs(), threshold);
                VectorMask<Float> k2 = isAbove(v2.abs(), threshold);
                VectorMask<Float> k3 = isAbove(v3.abs(), threshold);
                store(v0.blend(0.0f, k0), r);
                store(v1.blend(0.0f, k1), r + REGISTER);
                store(v2.blend(0.0f, k2), r + 2 * REGISTER);
                store(v3.blend(0.0f, k3), r + 3 * REGISTER);
                long b0 = k0.toLong();
                long b1 = k1.toLong();
                long b2 = k2.toLong();
                long b3 = k3.toLong();
                long value1 = value + f32(Long.bitCount(b0));
                long value2 = value1 + f32(Long.bitCount(b1));
                long value3 = value2 + f32(Long.bitCount(b2));
                store(v0.compress(k0), value);
                store(v1.compress(k1), value1);
                store(v2.compress(k2), value2);
                store(v3.compress(k3), value3);
                value = value3 + f32(Long.bitCount(b3));
                word |= (b0 | b1 << LANES | b2 << 2 * LANES | b3 << 3 * LANES) << part;
            }
            Memory.putLong(bitmap + start / Byte.SIZE, word);
        }
        return value;
    }

    /** As {@link #exact(long, long, long, int, float, long, long)}, rounding what is kept to bfloat16. */
    private static long rounded(
            long update, long advance, long residual, int whole, float threshold, long bitmap, long values) {
        if (LaneTables.COVER_REGISTERS) {
            return VectorTableSplit.rounded(update, advance, residual, whole, threshold, bitmap, values);
        }
        long value = values;
        for (int start = 0; start < whole; start += Long.SIZE) {
            long word = 0;
            for (int part = 0; part < Long.SIZE; part += 2 * LANES) {
                long r = residual + f32(start + part);
                long u = update + (f32(start + part) & advance);
                FloatVector v0 = floats(r).add(floats(u));
                FloatVector v1 = floats(r + REGISTER).add(floats(u + REGISTER));
                VectorMask<Float> k0 = isBetween(v0.abs(), threshold);
                VectorMask<Float> k1 = isBetween(v1.abs(), threshold);
                FloatVector q0 = toBf16(v0);
                FloatVector q1 = toBf16(v1);
                store(v0.sub(q0, k0), r);
                store(v1.sub(q1, k1), r + REGISTER);
                long b0 = k0.toLong();
                long b1 = k1.toLong();
                long value1 = value + f32(Long.bitCount(b0));
                store(q0.compress(k0), value);
                store(q1.compress(k1), value1);
                value = value1 + f32(Long.bitCount(b1));
                word |= (b0 | b1 << LANES) << part;
            }
            Memory.putLong(bitmap + start / Byte.SIZE, word);
        }
        return value;
    }
}
