package io.sluice.perf.filter;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Loops on the Vector API, in the same registers as the vector kernels, over a number of elements that is a multiple of
 * 64.
 */
final class VectorLoops {
    private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;

    private VectorLoops() {}

    /**
     * The axpy loop, {@code y += a * x}, from the same byte offset in both segments. For each element it reads 8 bytes
     * and writes 4, as the filter must and as applying a dense block must.
     */
    static void axpy(float a, MemorySegment x, MemorySegment y, long offset, int elements) {
        long end = offset + (long) elements * Float.BYTES;
        for (long at = offset; at < end; at += SPECIES.vectorByteSize()) {
            FloatVector sum = FloatVector.fromMemorySegment(SPECIES, x, at, LITTLE_ENDIAN)
                    .mul(a)
                    .add(FloatVector.fromMemorySegment(SPECIES, y, at, LITTLE_ENDIAN));
            sum.intoMemorySegment(y, at, LITTLE_ENDIAN);
        }
    }

    /**
     * The filter of the paper's path: it writes kept elements to the beginning of a dense array, and zeros for the
     * others. On the Vector API the path is as fast as its compressor allows. Returns the number of kept elements.
     */
    static int zeroFill(
            MemorySegment update,
            MemorySegment residual,
            long offset,
            int elements,
            float threshold,
            MemorySegment dense) {
        int count = 0;
        for (int i = 0; i < elements; i += SPECIES.length()) {
            long at = (long) i * Float.BYTES;
            FloatVector v = FloatVector.fromMemorySegment(SPECIES, residual, offset + at, LITTLE_ENDIAN)
                    .add(FloatVector.fromMemorySegment(SPECIES, update, offset + at, LITTLE_ENDIAN));
            VectorMask<Float> kept = v.abs().compare(VectorOperators.GT, threshold);
            v.blend(0.0f, kept).intoMemorySegment(residual, offset + at, LITTLE_ENDIAN);
            v.blend(0.0f, kept.not()).intoMemorySegment(dense, at, LITTLE_ENDIAN);
            count += kept.trueCount();
        }
        return count;
    }
}
