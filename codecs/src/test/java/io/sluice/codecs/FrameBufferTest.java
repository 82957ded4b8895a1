package io.sluice.codecs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class FrameBufferTest {
    @Test
    void allViewsShowTheSameAlignedBytes() {
        FrameBuffer frame = new FrameBuffer(100);
        frame.buffer().putByte(99, (byte) 7);

        assertEquals(100, frame.capacity());
        assertEquals(7, frame.segment().get(ValueLayout.JAVA_BYTE, 99));
        assertEquals(7, frame.buffer().byteBuffer().get(99 + frame.buffer().wrapAdjustment()));
        assertEquals(7, OffHeap.ALL.get(ValueLayout.JAVA_BYTE, OffHeap.address(frame.buffer(), 99)));
        assertEquals(0, frame.segment().address() % OffHeap.ALIGNMENT);
        assertThrows(IllegalArgumentException.class, () -> new FrameBuffer(0));
    }

    @Test
    void allocatedMemoryIsAlignedZeroedAndViewable() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = OffHeap.allocate(arena, 1000);
            UnsafeBuffer view = OffHeap.view(segment);
            view.putLong(992, -1);

            assertEquals(0, segment.address() % OffHeap.ALIGNMENT);
            assertEquals(0, segment.get(ValueLayout.JAVA_LONG, 984));
            assertEquals(-1, segment.get(ValueLayout.JAVA_LONG, 992));
        }
        MemorySegment heap = MemorySegment.ofArray(new byte[8]);
        assertThrows(IllegalArgumentException.class, () -> OffHeap.view(heap));
    }
}
