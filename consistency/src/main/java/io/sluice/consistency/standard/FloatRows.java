package io.sluice.consistency.standard;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.sluice.consistency.spi.FactorSelection;
import io.sluice.filter.kernel.Draws;
import java.lang.foreign.MemorySegment;

/**
 * Arithmetic on vectors of equal length, each a float array, which HotSpot vectorises where it need not reorder a sum.
 * Sums are doubles, always in the same order.
 */
public final class FloatRows {
    private FloatRows() {}

    /** Copies the first vectors of a segment, in which vectors are adjacent. */
    static void load(MemorySegment from, long firstFloat, int count, float[][] to) {
        for (int i = 0; i < count; i++) {
            long at = firstFloat + (long) i * to[i].length;
            MemorySegment.copy(from, JAVA_FLOAT, at * Float.BYTES, to[i], 0, to[i].length);
        }
    }

    /** Writes one vector into a segment, in which vectors are adjacent. */
    static void store(float[] from, MemorySegment to, long firstFloat, int index) {
        long at = firstFloat + (long) index * from.length;
        MemorySegment.copy(from, 0, to, JAVA_FLOAT, at * Float.BYTES, from.length);
    }

    /**
     * The sum of the products.
     *
     * @param a one vector
     * @param b another, of equal length
     */
    public static double dot(float[] a, float[] b) {
        double s0 = 0;
        double s1 = 0;
        double s2 = 0;
        double s3 = 0;
        int i = 0;
        for (; i < a.length - 3; i += 4) { // four sums, so that an addition need not wait for the previous one
            s0 += (double) a[i] * b[i];
            s1 += (double) a[i + 1] * b[i + 1];
            s2 += (double) a[i + 2] * b[i + 2];
            s3 += (double) a[i + 3] * b[i + 3];
        }
        for (; i < a.length; i++) {
            s0 += (double) a[i] * b[i];
        }
        return s0 + s1 + (s2 + s3);
    }

    /**
     * Adds a multiple of a vector to another.
     *
     * @param to     vector to change
     * @param factor factor
     * @param from   vector of equal length
     */
    public static void addScaled(float[] to, float factor, float[] from) {
        for (int i = 0; i < to.length; i++) {
            to[i] += factor * from[i];
        }
    }

    static void divide(float[] vector, double divisor) {
        for (int i = 0; i < vector.length; i++) {
            vector[i] = (float) (vector[i] / divisor);
        }
    }

    /** The key of the random numbers of one clock: a function of seed, worker and clock. */
    static long key(FactorSelection.Site site, long clock) {
        return Draws.mix(Draws.mix(site.seed(), site.worker()), clock);
    }

    /** A random number from 0, below 1. */
    static double uniform(long key, long counter) {
        return (Draws.mix(key, counter) >>> Long.SIZE - 53) * 0x1p-53;
    }
}
