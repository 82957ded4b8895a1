package io.sluice.filter;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/** Inputs for kernels: memory that ends exactly at its last value, and difficult values. */
public final class Floats {
    private static final int[] SPECIAL_BITS = {
        0x00000000,
        0x80000000, // zeros
        0x00000001,
        0x80000001,
        0x007FFFFF, // denormals
        0x00800000,
        0x7F7FFFFF,
        0xFF7FFFFF, // smallest normal, largest
        0x7F800000,
        0xFF800000, // infinities
        0x7FC00000,
        0xFFC00000,
        0x7FC12345,
        0x7F800001,
        0xFFABCDEF, // quiet and signalling NaN
        0x3F800000,
        0xBF800000,
        0x3F7FFFFF,
        0x3F800001 // around one
    };

    private static final MemorySegment[] KEPT = new MemorySegment[64];
    private static int nextKept;

    private Floats() {}

    /** Allocates memory for a number of values, each segment separately and {@code shift} bytes off its alignment. */
    public static MemorySegment room(long bytes, int shift) {
        return keep(Arena.ofAuto().allocate(bytes + shift, 64)).asSlice(shift, bytes);
    }

    /** Keeps a segment from being collected for a while: a kernel knows its address only. */
    public static MemorySegment keep(MemorySegment segment) {
        synchronized (KEPT) {
            KEPT[nextKept++ % KEPT.length] = segment;
        }
        return segment;
    }

    /** The values of an array in memory of their own, {@code shift} bytes off its alignment. */
    public static MemorySegment of(float[] values, int shift) {
        return room(4L * values.length, shift).copyFrom(MemorySegment.ofArray(values));
    }

    public static MemorySegment copyOf(MemorySegment original, int shift) {
        return room(original.byteSize(), shift).copyFrom(original);
    }

    public static void fillNormal(SplittableRandom random, MemorySegment segment) {
        for (long i = 0; i < segment.byteSize() / Float.BYTES; i++) {
            segment.set(JAVA_FLOAT_UNALIGNED, 4L * i, (float) random.nextGaussian());
        }
    }

    public static void fillWithSpecials(SplittableRandom random, MemorySegment segment) {
        for (long i = 0; i < segment.byteSize() / Float.BYTES; i++) {
            int bits = random.nextInt(3) == 0 ? SPECIAL_BITS[random.nextInt(SPECIAL_BITS.length)] : random.nextInt();
            segment.set(JAVA_INT_UNALIGNED, 4L * i, bits);
        }
    }

    /** Replaces the first of two NaNs that would be added to each other. */
    public static void separateNaNs(MemorySegment a, MemorySegment b) {
        for (long i = 0; i < a.byteSize(); i += Float.BYTES) {
            if (Float.isNaN(a.get(JAVA_FLOAT_UNALIGNED, i)) && Float.isNaN(b.get(JAVA_FLOAT_UNALIGNED, i))) {
                a.set(JAVA_FLOAT_UNALIGNED, i, -0.0f);
            }
        }
    }

    /** Makes signalling NaNs quiet, as any arithmetic may or may not do. */
    public static void quietNaNs(MemorySegment a) {
        for (long i = 0; i < a.byteSize(); i += Float.BYTES) {
            if (Float.isNaN(a.get(JAVA_FLOAT_UNALIGNED, i))) {
                a.set(JAVA_INT_UNALIGNED, i, a.get(JAVA_INT_UNALIGNED, i) | 0x0040_0000);
            }
        }
    }

    public static int bits(MemorySegment segment, int index) {
        return segment.get(JAVA_INT_UNALIGNED, 4L * index);
    }
}
