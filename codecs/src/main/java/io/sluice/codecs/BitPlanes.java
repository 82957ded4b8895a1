package io.sluice.codecs;

/**
 * Packs small integers, 32 at a time, as bit planes. Plane b is a u32 whose bit k is bit b of number k, so w planes
 * hold 32 numbers below 2<sup>w</sup>.
 *
 * <p>One comparison per bit turns a register of numbers into planes, at any register width, and the sum of the numbers
 * is found by counting bits, without unpacking. (Vertical packing is that of SIMD-BP128, Lemire and Boytsov 2015; the
 * planes are those of bit-sliced indexes.)
 */
public final class BitPlanes {
    /** Number of integers that are packed together. */
    public static final int GROUP = Integer.SIZE;

    private BitPlanes() {}

    /** Number of bytes of a group of {@code width}-bit numbers. */
    public static int length(int width) {
        return width * Integer.BYTES;
    }
}
