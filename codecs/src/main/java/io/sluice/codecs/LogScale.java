package io.sluice.codecs;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.codecs.api.ValueType;
import java.lang.foreign.ValueLayout;

/**
 * The scale of {@link ValueType#LOG8}. The bits of a positive binary32, read as an integer, grow almost linearly with
 * its logarithm. So equal integer steps from the smallest to the largest magnitude of a block make a logarithmic scale,
 * without tables or logarithms.
 *
 * <p>The column: {@code base} (u32, the bits of the smallest magnitude that is not zero), {@code step} (u32), then a
 * byte for each value: the sign in bit 7 and a code in bits 0 to 6. Code 0 is zero; code k from 1 on is the magnitude
 * with the bits {@code base + (k - 1) * step}, in 32-bit wrapping arithmetic, less its sign bit.
 *
 * <p>With magnitudes over n octaves the relative error is at most n / 252 (1.6% for a range of 16 to 1), and near the
 * greatest magnitude 125 units of the last place more, since the step is rounded down so that no code exceeds the
 * maximum.
 */
public final class LogScale {
    /** Number of bytes of the column before its codes. */
    public static final int HEADER_LENGTH = 8;

    /** Number of steps from the smallest to the largest magnitude: codes 1 to 127. */
    public static final int STEPS = 126;

    private static final ValueLayout.OfInt U32 = JAVA_INT_UNALIGNED.withOrder(LITTLE_ENDIAN);

    private LogScale() {}

    /**
     * The step for a range of magnitudes. Rounded down, so no code exceeds the largest magnitude.
     *
     * @param base bits of the smallest magnitude that is not zero
     * @param top bits of the largest magnitude
     * @return step, 1 or more
     */
    public static int step(int base, int top) {
        return Math.max(1, (top - base) / STEPS);
    }

    /** Reads the base of the column at an address. */
    public static int base(long address) {
        return OffHeap.ALL.get(U32, address);
    }

    /** Reads the step of the column at an address. */
    public static int step(long address) {
        return OffHeap.ALL.get(U32, address + Integer.BYTES);
    }

    /** Writes the header of the column at an address. */
    public static void write(long address, int base, int step) {
        OffHeap.ALL.set(U32, address, base);
        OffHeap.ALL.set(U32, address + Integer.BYTES, step);
    }
}
