package io.sluice.filter.threshold;

/**
 * The magnitudes of a fixed sample of a table's elements, as they were when their slices were last about to be
 * filtered.
 *
 * <p>The table's residual is cut into strata of equal length, and one element of each is sampled, at a place that
 * depends on nothing but the stratum, and on it as if by chance: rows and strata of equal lengths do not fall into
 * step. Always the same elements, so that what changes from clock to clock is the table, not the choice.
 *
 * <p>Cost: 4 bytes for each stratum; each clock a read of residual and update for each.
 */
final class MagnitudeSample {
    /** The longest stratum. Of large tables one element of 256 gives the density to within a few per mille. */
    private static final int LONGEST_STRATUM = 256;

    /** Size of the sample below which strata get shorter than that. */
    private static final int ENOUGH = 8_192;

    /** Least number of strata of a whole slice. */
    private static final int STRATA_OF_A_SLICE = 16;

    private final int stratum;
    private final float[] magnitudes;
    private int from;
    private int count;
    private double before;
    private double now;

    /**
     * Makes a sample.
     *
     * @param span elements of the residual, gaps between its slices included
     * @param sliceElements of a whole slice
     */
    MagnitudeSample(long span, int sliceElements) {
        this.stratum = stratum(span, sliceElements);
        this.magnitudes = new float[size(span, sliceElements)];
    }

    private static int stratum(long span, int sliceElements) {
        long byTable = Math.clamp(span / ENOUGH, 1L, LONGEST_STRATUM);
        return (int) Math.clamp(sliceElements / STRATA_OF_A_SLICE, 1L, byTable);
    }

    /** Elements in the sample of a table. */
    static int size(long span, int sliceElements) {
        int stratum = stratum(span, sliceElements);
        return Math.toIntExact((span + stratum - 1) / stratum);
    }

    /** Samples a slice that is about to be filtered. Of the slices, one shorter than a stratum may have none. */
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

    /** The sample of the whole table, and of the slice taken last within it. */
    float[] magnitudes() {
        return magnitudes;
    }

    /** First of the slice taken last. */
    int from() {
        return from;
    }

    /** How many the slice taken last has. */
    int count() {
        return count;
    }

    /** Sum of the slice taken last, before it was taken. */
    double before() {
        return before;
    }

    /** Sum of the slice taken last. */
    double now() {
        return now;
    }

    /** Sum of the whole sample, in the order of the table, so that it does not depend on the order of sampling. */
    double total() {
        double sum = 0;
        for (float magnitude : magnitudes) {
            sum += magnitude;
        }
        return sum;
    }
}
