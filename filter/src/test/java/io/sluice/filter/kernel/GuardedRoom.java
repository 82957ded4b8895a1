package io.sluice.filter.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.filter.Floats;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Native memory between guards that a kernel must leave alone. */
final class GuardedRoom {
    private static final int GUARD = 256;
    private static final byte PATTERN = (byte) 0xA5;

    private final MemorySegment all;
    private final long bytes;
    private final int shift;

    /** Room for a number of bytes, {@code shift} bytes off its alignment. */
    GuardedRoom(long bytes, int shift) {
        this.bytes = bytes;
        this.shift = shift;
        this.all = Floats.keep(
                Arena.ofAuto().allocate(bytes + shift + 2L * GUARD, 64).fill(PATTERN));
        inside().fill((byte) 0);
    }

    static GuardedRoom holding(MemorySegment content, int shift) {
        GuardedRoom room = new GuardedRoom(content.byteSize(), shift);
        room.inside().copyFrom(content);
        return room;
    }

    MemorySegment inside() {
        return all.asSlice(GUARD + shift, bytes);
    }

    long address() {
        return inside().address();
    }

    void assertUntouchedAround() {
        for (long at = 0; at < all.byteSize(); at++) {
            if (at < GUARD + shift || at >= GUARD + shift + bytes) {
                assertEquals(PATTERN, all.get(ValueLayout.JAVA_BYTE, at), "guard byte " + (at - GUARD - shift));
            }
        }
    }
}
