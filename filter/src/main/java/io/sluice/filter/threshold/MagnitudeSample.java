package io.sluice.filter.threshold;

/**
 * The magnitudes of a fixed sample of a table's elements, each taken just before its slice was last filtered.
 *
 * <p>The table's residual is divided into strata of equal length, and one element of each is sampled. Its position is a
 * hash of the stratum's number, so the sample does not resonate with rows of the same length as the strata. The sampled
 * elements are always the same: a change from clock to clock is a change of the table, not of the sample.
 *
 * <p>Cost: 4 bytes per stratum, and in each clock one read of residual and update per stratum.
 */
final class MagnitudeSample {
    /**
     * Maximum length of a stratum. In large tables, one element in 256 estimates the density to within a few per mille.
     */
    private static final int LONGEST_STRATUM = 256;

    /** Size of a sample that is large enough; smaller tables have shorter strata. */
    private static final int ENOUGH = 8_192;

    /** Minimum number of strata in a whole slice. */
    private static final int STRATA_OF_A_SLICE = 16;

    private final int stratum;
    private final float[] magnitudes;
    private int from;
    private int count;
    private double before;
    private double now;

    /**
     * Creates a sample.
     *
     * @param span          elements of the residual, including gaps between slices
     * @param sliceElements elements of a whole slice
     */
    MagnitudeSample(long span, int sliceElements) {
        this.stratum = stratum(span, sliceElements);
        this.magnitudes = new float[size(span, sliceElements)];
    }

    private static int stratum(long span, int sliceElements) {
        long byTable = Math.clamp(span / ENOUGH, 1L, LONGEST_STRATUM);
        return (int) Math.clamp(sliceElements / STRATA_OF_A_SLICE, 1L, byTable);
    }

    /** Number of elements in the sample of a table. */
    static int size(long span, int sliceElements) {
        int stratum = stratum(span, sliceElements);
        return Math.toIntExact((span + stratum - 1) / stratum);
    }

    /** Samples a slice just before it is filtered. A slice shorter than a stratum may have no sampled element. */
    void take(SliceValues slice) {
        long start = slice.start();
        from = (int) ((start + stratum - 1) / stratum);
        int end = (int) Math.min((start + slice.elements() + stratum - 1) / stratum, magnitudes.length);
        count = Math.max(end - from, 0);
        before = 0;
        now = 0;
        for (int s = from; s < end; s++) {
            long at = (long) s * stratum + offset(s) - start;
            float magnitude = Math.abs(slice.value((int) Math.min(at, slice.elements() - 1)));
            before += magnitudes[s];
            now += magnitude;
            magnitudes[s] = magnitude;
        }
    }

    /** A pseudo-random offset within a stratum: the finaliser of MurmurHash3 on its number. */
    private int offset(int number) {
        int h = number * 0x9E3779B9;
        h = (h ^ (h >>> 16)) * 0x85EBCA6B;
        h = (h ^ (h >>> 13)) * 0xC2B2AE35;
        return (int) (((h ^ (h >>> 16)) & 0xFFFF_FFFFL) * stratum >>> 32);
    }

    /** The sample of the whole table. The slice taken last is the part at {@link #from} of length {@link #count}. */
    float[] magnitudes() {
        return magnitudes;
    }

    /** Index of the first sampled element of the slice taken last. */
    int from() {
        return from;
    }

    /** Number of sampled elements of the slice taken last. */
    int count() {
        return count;
    }

    /** Sum of the same elements when their slice was previously taken. */
    double before() {
        return before;
    }

    /** Sum of the slice taken last. */
    double now() {
        return now;
    }

    /** Sum of the whole sample, added in the order of the table, so it does not depend on the order of sampling. */
    double total() {
        double sum = 0;
        for (float magnitude : magnitudes) {
            sum += magnitude;
        }
        return sum;
    }
}
