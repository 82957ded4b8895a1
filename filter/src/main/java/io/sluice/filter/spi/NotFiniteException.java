package io.sluice.filter.spi;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.function.IntToDoubleFunction;

/**
 * Thrown when an addition to a slice gives NaN or an infinity. The slice then holds that sum
 * and must not be used.
 */
public final class NotFiniteException extends ArithmeticException {
    private static final long serialVersionUID = 1L;

    private final int element;
    private final float added;
    private final float sum;

    /**
     * Creates the exception.
     *
     * @param element index of the first element of the slice whose sum is not finite
     * @param added   value added to the element: not finite, or too large
     * @param sum     sum of the two
     */
    public NotFiniteException(int element, float added, float sum) {
        super("adding " + added + " to element " + element + " of a slice makes " + sum + ", expected finite numbers");
        this.element = element;
        this.added = added;
        this.sum = sum;
    }

    /**
     * Creates the exception for a slice that holds a sum that is not finite.
     *
     * @param sums     segment of the slice
     * @param offset   offset of its first element, in bytes
     * @param elements elements of the slice
     * @param added    gives the value that was added to an element
     * @return the exception for the first such sum
     * @throws IllegalStateException if all sums are finite
     */
    public static NotFiniteException in(MemorySegment sums, long offset, int elements, IntToDoubleFunction added) {
        for (int i = 0; i < elements; i++) {
            float sum = sums.get(JAVA_FLOAT_UNALIGNED, offset + (long) i * Float.BYTES);
            if (!Float.isFinite(sum)) {
                return new NotFiniteException(i, (float) added.applyAsDouble(i), sum);
            }
        }
        throw new IllegalStateException("all " + elements + " sums of a slice are finite, expected one that is not");
    }

    /**
     * The index of the element in the slice.
     *
     * @return index from 0
     */
    public int element() {
        return element;
    }

    /**
     * The value that was added to the element.
     *
     * @return any float
     */
    public float added() {
        return added;
    }

    /**
     * The sum that resulted.
     *
     * @return NaN or an infinity
     */
    public float sum() {
        return sum;
    }
}
