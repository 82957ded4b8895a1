package io.sluice.filter;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The columns' element types as both kernels read them: little endian, at any alignment. */
final class Layout {
    static final ValueLayout.OfFloat F32 = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(LITTLE_ENDIAN);
    static final ValueLayout.OfInt F32_BITS = ValueLayout.JAVA_INT_UNALIGNED.withOrder(LITTLE_ENDIAN);
    static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(LITTLE_ENDIAN);
    static final ValueLayout.OfShort INDEX = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(LITTLE_ENDIAN);

    private Layout() {}

    static long f32(long index) {
        return index * Float.BYTES;
    }

    static int index(MemorySegment segment, long offset, int i) {
        return segment.get(INDEX, offset + (long) i * Short.BYTES) & 0xFFFF;
    }
}
