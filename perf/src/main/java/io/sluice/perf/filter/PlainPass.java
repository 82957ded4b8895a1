package io.sluice.perf.filter;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * The plain pass, {@code y += a * x}, on the Vector API, in the same registers as the vector kernels. For each element
 * it reads 8 bytes and writes 4, as the filter must and as applying a dense block must.
 */
final class PlainPass {
    private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;

    private PlainPass() {}

    /** Runs over a number of elements that is a multiple of 64, from the same byte offset in both segments. */
    static void run(float a, MemorySegment x, MemorySegment y, long offset, int elements) {
        long end = offset + (long) elements * Float.BYTES;
        for (long at = offset; at < end; at += SPECIES.vectorByteSize()) {
            FloatVector sum = FloatVector.fromMemorySegment(SPECIES, x, at, LITTLE_ENDIAN)
                    .mul(a)
                    .add(FloatVector.fromMemorySegment(SPECIES, y, at, LITTLE_ENDIAN));
            sum.intoMemorySegment(y, at, LITTLE_ENDIAN);
        }
    }
}
