package io.sluice.perf.filter;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * The filter of the paper's path: it writes kept elements to a dense array, and zeros for the others. It uses the
 * Vector API, so that the path is as fast as its compressor allows.
 */
final class ZeroFill {
    private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;

    private ZeroFill() {}

    /**
     * Filters a number of elements that is a multiple of 64, from the same byte offset in update and residual, to the
     * beginning of an array. Returns how many were kept.
     */
    static int run(
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
