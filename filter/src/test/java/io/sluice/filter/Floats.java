package io.sluice.filter;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/** Inputs for kernels: memory that ends exactly where it should, and values that are trouble. */
final class Floats {
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

    private Floats() {}

    /** Room for so many values, each segment a memory block of its own, {@code shift} bytes off its alignment. */
    static MemorySegment room(long bytes, int shift) {
        return Arena.ofAuto().allocate(bytes + shift, 64).asSlice(shift, bytes);
    }

    static MemorySegment copyOf(MemorySegment original, int shift) {
        return room(original.byteSize(), shift).copyFrom(original);
    }

    static void fillNormal(SplittableRandom random, MemorySegment segment) {
        for (long i = 0; i < segment.byteSize() / Float.BYTES; i++) {
            segment.set(Layout.F32, Layout.f32(i), (float) random.nextGaussian());
        }
    }

    static void fillWithSpecials(SplittableRandom random, MemorySegment segment) {
        for (long i = 0; i < segment.byteSize() / Float.BYTES; i++) {
            int bits = random.nextInt(3) == 0 ? SPECIAL_BITS[random.nextInt(SPECIAL_BITS.length)] : random.nextInt();
            segment.set(Layout.F32_BITS, Layout.f32(i), bits);
        }
    }

    /** Replaces the first of two NaNs that would be added to each other. */
    static void separateNaNs(MemorySegment a, MemorySegment b) {
        for (long i = 0; i < a.byteSize(); i += Float.BYTES) {
            if (Float.isNaN(a.get(Layout.F32, i)) && Float.isNaN(b.get(Layout.F32, i))) {
                a.set(Layout.F32, i, -0.0f);
            }
        }
    }

    static int bits(MemorySegment segment, int index) {
        return segment.get(Layout.F32_BITS, Layout.f32(index));
    }
}
