package io.sluice.filter.kernel;

/**
 * The constants of binary16 arithmetic on the bits of a binary32. A code without its sign, shifted up by
 * {@link #SHIFT}, is the binary32 of the same number divided by {@link #UNSCALE}, denormals included; there are no
 * infinities and NaNs.
 */
final class Binary16 {
    static final int SIGN = 0x8000;

    /** Difference in mantissa bits between a binary32 and a binary16. */
    static final int SHIFT = 13;

    /** A little less than half of the last place of a binary16. */
    static final int BELOW_HALF = 0xFFF;

    /** Difference of the exponents' biases, shifted to the bits of a binary16's exponent. */
    static final int REBIAS = 112 << 10;

    /** The greatest code: 65,504. */
    static final int GREATEST = 0x7BFF;

    /** Bits of 2<sup>-14</sup>: smaller numbers become denormals. */
    static final int LEAST_NORMAL = 113 << 23;

    /**
     * A number whose last place is that of a denormal, 2<sup>-24</sup>: adding it rounds a small number to a multiple
     * of that.
     */
    static final float ALIGN = 0.5f;

    static final float UNSCALE = 0x1p112f;

    private Binary16() {}
}
