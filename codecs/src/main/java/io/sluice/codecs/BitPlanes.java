package io.sluice.codecs;

/**
 * How small integers are packed: 32 of them at a time, as planes of bits. Plane b is a u32 whose bit k is bit b of
 * number k, so w planes hold 32 numbers below 2<sup>w</sup>.
 *
 * <p>A register of numbers becomes planes by one comparison for each bit, whatever the width of the register is, and
 * the sum of the numbers is a matter of counting bits, without unpacking anything. (Vertical packing is that of
 * SIMD-BP128, Lemire and Boytsov 2015; the planes are those of bit-sliced indexes.)
 */
public final class BitPlanes {
    /** Numbers packed together. */
    public static final int GROUP = Integer.SIZE;

    private BitPlanes() {}

    /** Bytes of a group of {@code width}-bit numbers. */
    public static int length(int width) {
        return width * Integer.BYTES;
    }
}
