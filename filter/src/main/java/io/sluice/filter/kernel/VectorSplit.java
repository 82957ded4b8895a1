package io.sluice.filter.kernel;

import static io.sluice.filter.kernel.Memory.f32;
import static io.sluice.filter.kernel.Memory.u8;
import static io.sluice.filter.kernel.Registers.LANES;
import static io.sluice.filter.kernel.Registers.all;
import static io.sluice.filter.kernel.Registers.floats;
import static io.sluice.filter.kernel.Registers.ints;
import static io.sluice.filter.kernel.Registers.isBetween;
import static io.sluice.filter.kernel.Registers.pack;
import static io.sluice.filter.kernel.Registers.store;
import static io.sluice.filter.kernel.Registers.sums;
import static io.sluice.filter.kernel.Registers.toBf16;
import static io.sluice.filter.kernel.ScalarSplit.MAGNITUDE_BITS;
import static jdk.incubator.vector.VectorOperators.GT;

import io.sluice.codecs.OffHeap;
import java.lang.foreign.Arena;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;

/**
 * The filter's pass on the Vector API.
 *
 * <p>The unit of work is a bitmap word: 64 elements are a whole number of registers of any width, so each word is
 * assembled from comparison masks in a register and stored once. The kept lanes are moved together and stored as a full
 * register; the next store overwrites the unused lanes, which fit because k values are never kept of fewer than k
 * elements. Two registers are in flight at a time: with four, the loop is close to the compiler's inlining limit, and
 * one call that is not inlined costs more than four registers gain. The scalar twin handles the elements after the last
 * full word.
 *
 * <p>Magnitudes are compared as integers, so that NaNs, whose bits are greater than those of infinity, are above every
 * threshold.
 *
 * <p>The package's description explains why the loops share so little code.
 */
final class VectorSplit implements ThresholdKernel {
    private static final int STEP = 2 * LANES;
    private static final long REGISTER = f32(LANES);

    /** Address of one step of {@link ScalarValues#NOTHING}, which {@link #filterResidual} adds repeatedly. */
    private static final long NOTHINGS = nothings();

    /**
     * Number of elements of a block of {@link #filterResidual}: large enough that the cost of guessing the density of
     * the first block does not matter.
     */
    private static final int BLOCK = 1 << 11;

    /**
     * Maximum number of values in a sparse block: one element in 32, so that two of five registers of 16 lanes have
     * one.
     */
    private static final int SPARSE_BLOCK = BLOCK / 32;

    private static final int ADVANCING = -1;
    private static final int STANDING = 0;

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
        int kept = bf16
                ? rounded(update, ADVANCING, residual, whole, threshold, bitmap, values)
                : exact(update, ADVANCING, residual, whole, threshold, bitmap, values);
        if (whole == elements) {
            return kept;
        }
        long words = bitmap + whole / Byte.SIZE;
        long end = values + f32(kept);
        return kept
                + scalar.filter(
                        update + f32(whole), residual + f32(whole), elements - whole, threshold, bf16, words, end);
    }

    @Override
    public int filterResidual(long residual, int elements, float threshold, boolean bf16, long bitmap, long values) {
        int whole = elements & -Long.SIZE;
        int kept = bf16
                ? rounded(NOTHINGS, STANDING, residual, whole, threshold, bitmap, values)
                : filterResidual(residual, whole, threshold, bitmap, values);
        if (whole == elements) {
            return kept;
        }
        long words = bitmap + whole / Byte.SIZE;
        long end = values + f32(kept);
        return kept + scalar.filterResidual(residual + f32(whole), elements - whole, threshold, bf16, words, end);
    }

    /**
     * Works by blocks: after a sparse block, it writes the next block only where it takes values out. That halves the
     * memory traffic, which is the bottleneck because a residual is seldom in the cache. In denser blocks nearly every
     * register is written anyway, and the branch would be mispredicted.
     */
    private static int filterResidual(long residual, int whole, float threshold, long bitmap, long values) {
        int count = 0;
        boolean sparse = true;
        for (int start = 0; start < whole; start += BLOCK) {
            long from = residual + f32(start);
            int length = Math.min(BLOCK, whole - start);
            long words = bitmap + start / Byte.SIZE;
            long end = values + f32(count);
            int kept = sparse
                    ? sparse(from, length, threshold, words, end)
                    : exact(NOTHINGS, STANDING, from, length, threshold, words, end);
            sparse = kept <= SPARSE_BLOCK;
            count += kept;
        }
        return count;
    }

    /** Filters as {@link #exact} does, without an update and without storing unchanged registers. */
    private static int sparse(long residual, int whole, float threshold, long bitmap, long values) {
        IntVector magnitude = all(MAGNITUDE_BITS);
        IntVector bound = all(Float.floatToRawIntBits(threshold) & MAGNITUDE_BITS);
        int count = 0;
        for (int start = 0; start < whole; start += Long.SIZE) {
            long word = 0;
            for (int part = 0; part < Long.SIZE; part += LANES) {
                long r = f32(residual, start + part);
                IntVector v = ints(r);
                VectorMask<Integer> kept = v.and(magnitude).compare(GT, bound);
                if (kept.anyTrue()) {
                    long bits = kept.toLong();
                    store(v.blend(0, kept), r);
                    store(pack(v, kept, bits), f32(values, count));
                    count += Long.bitCount(bits);
                    word |= bits << part;
                }
            }
            Memory.putLong(u8(bitmap, start >>> 3), word);
        }
        return count;
    }

    /** Filters without rounding and returns the number kept. Offsets into the update are ANDed with {@code advance}. */
    private static int exact(
            long update, int advance, long residual, int whole, float threshold, long bitmap, long values) {
        IntVector magnitude = all(MAGNITUDE_BITS);
        IntVector bound = all(Float.floatToRawIntBits(threshold) & MAGNITUDE_BITS);
        IntVector zero = all(0);
        int count = 0;
        for (int start = 0; start < whole; start += Long.SIZE) {
            long word = 0;
            for (int part = 0; part < Long.SIZE; part += STEP) {
                long r = f32(residual, start + part);
                long u = f32(update, start + part & advance);
                IntVector v0 = sums(r, u);
                IntVector v1 = sums(r + REGISTER, u + REGISTER);
                VectorMask<Integer> k0 = v0.and(magnitude).compare(GT, bound);
                VectorMask<Integer> k1 = v1.and(magnitude).compare(GT, bound);
                store(v0.blend(zero, k0), r);
                store(v1.blend(zero, k1), r + REGISTER);
                long b0 = k0.toLong();
                long b1 = k1.toLong();
                int count1 = count + Long.bitCount(b0);
                store(pack(v0, k0, b0), f32(values, count));
                store(pack(v1, k1, b1), f32(values, count1));
                count = count1 + Long.bitCount(b1);
                word |= (b0 | b1 << LANES) << part;
            }
            Memory.putLong(u8(bitmap, start >>> 3), word);
        }
        return count;
    }

    /** Filters as {@link #exact} does and rounds the kept values to bfloat16. */
    private static int rounded(
            long update, int advance, long residual, int whole, float threshold, long bitmap, long values) {
        if (LaneTables.COVER_REGISTERS) {
            return roundedByTable(update, advance, residual, whole, threshold, bitmap, values);
        }
        int count = 0;
        for (int start = 0; start < whole; start += Long.SIZE) {
            long word = 0;
            for (int part = 0; part < Long.SIZE; part += STEP) {
                long r = f32(residual, start + part);
                long u = f32(update, start + part & advance);
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
                int count1 = count + Long.bitCount(b0);
                store(q0.compress(k0), f32(values, count));
                store(q1.compress(k1), f32(values, count1));
                count = count1 + Long.bitCount(b1);
                word |= (b0 | b1 << LANES) << part;
            }
            Memory.putLong(u8(bitmap, start >>> 3), word);
        }
        return count;
    }

    /** Filters as {@link #rounded} does, with one register at a time: with a table, two exceed the inlining budget. */
    private static int roundedByTable(
            long update, int advance, long residual, int whole, float threshold, long bitmap, long values) {
        int count = 0;
        for (int start = 0; start < whole; start += Long.SIZE) {
            long word = 0;
            for (int part = 0; part < Long.SIZE; part += LANES) {
                long r = f32(residual, start + part);
                FloatVector v = floats(r).add(floats(f32(update, start + part & advance)));
                VectorMask<Float> kept = isBetween(v.abs(), threshold);
                FloatVector rounded = toBf16(v);
                store(v.sub(rounded, kept), r);
                long bits = kept.toLong();
                store(LaneTables.pack(rounded.reinterpretAsInts(), bits), f32(values, count));
                count += Long.bitCount(bits);
                word |= bits << part;
            }
            Memory.putLong(u8(bitmap, start >>> 3), word);
        }
        return count;
    }
}
