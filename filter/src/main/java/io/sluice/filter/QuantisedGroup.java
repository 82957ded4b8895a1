package io.sluice.filter;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.sluice.codecs.OffHeap;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.kernel.LevelsKernel;
import java.lang.foreign.MemorySegment;

/**
 * A group of values to be quantised, and sums over it. Before summing, values are multiplied by the power of two that
 * brings the greatest magnitude into [1, 2), so that no square overflows or underflows. A reusable view.
 */
final class QuantisedGroup {
    private final Kernels kernels;
    private final MemorySegment sums = OffHeap.allocate(3L * LevelsKernel.SUMS * Float.BYTES);
    private long values;
    private int count;
    private int first;
    private long key;
    private float greatest;
    private float factor;
    private long counts;

    QuantisedGroup(Kernels kernels) {
        this.kernels = kernels;
    }

    /** Sets the values; the first random number has the counter {@code at}. */
    void of(long address, int number, long drawn, int at) {
        values = address;
        count = number;
        key = drawn;
        first = at;
        greatest = kernels.values().maxAbs(address, number);
        int exponent = Math.max(Math.getExponent(greatest), Float.MIN_EXPONENT);
        factor = Math.scalb(1.0f, -exponent);
    }

    int count() {
        return count;
    }

    /** The greatest magnitude. */
    float greatest() {
        return greatest;
    }

    /** The power of two by which values are multiplied before they are summed. */
    float factor() {
        return factor;
    }

    /**
     * Computes the counts and sums that the accessors below return. A magnitude above {@code clip} counts as {@code
     * clip} in the sums; the sums are of values multiplied by {@link #factor}.
     */
    void sum(float clip) {
        counts = kernels.levels().sums(values, count, clip, factor, sums.address());
    }

    /** Number of values below zero. */
    int negatives() {
        return (int) counts;
    }

    /** Number of values that are not zero. */
    int present() {
        return (int) (counts >>> Integer.SIZE);
    }

    /** Sum of the values that are 0 or more. */
    double above() {
        return total(0);
    }

    /** Sum of the magnitudes of the values below zero. */
    double below() {
        return total(1);
    }

    /** Sum of the squares. */
    double squares() {
        return total(2);
    }

    private double total(int kind) {
        double total = 0;
        for (int lane = 0; lane < LevelsKernel.SUMS; lane++) {
            total += sums.getAtIndex(JAVA_FLOAT, kind * LevelsKernel.SUMS + lane);
        }
        return total;
    }

    /** Writes number 0 for each value below zero, and 1 for all others. */
    void signs(long numbers) {
        kernels.levels().signs(values, count, numbers);
    }

    /** Rounds multiples of the values at random to whole numbers up to {@code most}. */
    void draw(float levels, int most, long numbers) {
        kernels.levels().draw(values, count, factor, levels, most, key, first, numbers);
    }
}
