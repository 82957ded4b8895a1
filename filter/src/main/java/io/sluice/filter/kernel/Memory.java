package io.sluice.filter.kernel;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.codecs.OffHeap;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Accesses single elements of columns at absolute addresses: little endian, at any alignment. */
final class Memory {
    private static final MemorySegment ALL = OffHeap.ALL;
    private static final ValueLayout.OfFloat F32 = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(LITTLE_ENDIAN);
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(LITTLE_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(LITTLE_ENDIAN);
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(LITTLE_ENDIAN);
    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;

    /**
     * All bits that an address of a process can have. ANDed with them, an address plus the offset of an element is
     * known to be neither negative nor beyond {@link OffHeap#ALL}, so that the compiler drops the bounds checks of all
     * accesses there. It hoists the AND out of loops.
     */
    private static final long ADDRESS = (1L << 62) - 1;

    private Memory() {}

    /** Address of an element of an array of 4 bytes each. */
    static long f32(long array, int index) {
        return (array & ADDRESS) + f32(Integer.toUnsignedLong(index));
    }

    /** Address of an element of an array of 2 bytes each. */
    static long u16(long array, int index) {
        return (array & ADDRESS) + u16(Integer.toUnsignedLong(index));
    }

    /** Address of an element of an array of bytes. */
    static long u8(long array, int index) {
        return (array & ADDRESS) + Integer.toUnsignedLong(index);
    }

    static long f32(long index) {
        return index * Float.BYTES;
    }

    static long u16(long index) {
        return index * Short.BYTES;
    }

    static float getFloat(long address) {
        return ALL.get(F32, address);
    }

    static void putFloat(long address, float value) {
        ALL.set(F32, address, value);
    }

    static int getInt(long address) {
        return ALL.get(U32, address);
    }

    static void putInt(long address, int value) {
        ALL.set(U32, address, value);
    }

    static long getLong(long address) {
        return ALL.get(U64, address);
    }

    static void putLong(long address, long value) {
        ALL.set(U64, address, value);
    }

    static int getShort(long address) {
        return ALL.get(U16, address) & 0xFFFF;
    }

    static void putShort(long address, int value) {
        ALL.set(U16, address, (short) value);
    }

    static int getByte(long address) {
        return ALL.get(U8, address) & 0xFF;
    }

    static void putByte(long address, int value) {
        ALL.set(U8, address, (byte) value);
    }

    static void copy(long from, long to, long bytes) {
        MemorySegment.copy(ALL, from, ALL, to, bytes);
    }

    static void zero(long address, long bytes) {
        for (long at = address; at < address + bytes; at++) {
            ALL.set(U8, at, (byte) 0);
        }
    }
}
