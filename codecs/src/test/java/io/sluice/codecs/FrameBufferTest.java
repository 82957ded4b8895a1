package io.sluice.codecs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CompletableFuture;
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
        MemorySegment segment = OffHeap.allocate(1000);
        UnsafeBuffer view = OffHeap.view(segment);
        view.putLong(992, -1);

        assertEquals(0, segment.address() % OffHeap.ALIGNMENT);
        assertEquals(0, segment.get(ValueLayout.JAVA_LONG, 984));
        assertEquals(-1, segment.get(ValueLayout.JAVA_LONG, 992));
        MemorySegment heap = MemorySegment.ofArray(new byte[8]);
        assertThrows(IllegalArgumentException.class, () -> OffHeap.view(heap));
    }

    @Test
    void severalLieApartInOnePieceOfMemory() {
        FrameBuffer[] frames = FrameBuffer.several(40, 100);
        for (int i = 0; i < frames.length; i++) {
            assertEquals(100, frames[i].capacity());
            assertEquals(0, frames[i].buffer().addressOffset() % OffHeap.ALIGNMENT);
            assertEquals(frames[i].segment().address(), frames[i].buffer().addressOffset());
            assertNotSame(
                    frames[0].buffer().byteBuffer(),
                    frames[i == 0 ? 1 : i].buffer().byteBuffer());
            frames[i].buffer().setMemory(0, 100, (byte) i);
        }
        for (int i = 0; i < frames.length; i++) {
            assertEquals(i, frames[i].buffer().getByte(0));
            assertEquals(i, frames[i].buffer().getByte(99));
        }
        IllegalArgumentException none = assertThrows(IllegalArgumentException.class, () -> FrameBuffer.several(0, 100));
        assertEquals(
                "0 frames of 100 bytes: expected at least 1 frame of at least 1 byte, and less than 2 GiB in total",
                none.getMessage());
        assertThrows(IllegalArgumentException.class, () -> FrameBuffer.several(1 << 20, 1 << 20));
    }

    @Test
    void theChecksumIsThatOfAFrameByItself() {
        FrameBuffer[] frames = FrameBuffer.several(3, 100);
        FrameBuffer alone = new FrameBuffer(100);
        for (int i = 0; i < 100; i++) {
            frames[2].buffer().putByte(i, (byte) i);
            alone.buffer().putByte(i, (byte) i);
        }
        FrameChecksum checksum = new FrameChecksum();
        assertEquals(checksum.compute(alone.buffer(), 0, 100), checksum.compute(frames[2].buffer(), 0, 100));
    }

    /** Two slots of one outbox: a trainer writes a request while another thread writes a round commit. */
    @Test
    void twoThreadsWriteOneChecksumEach() {
        FrameBuffer[] frames = FrameBuffer.several(2, 300);
        CompletableFuture<Integer> other = CompletableFuture.supplyAsync(() -> wrongChecksums(frames[1], 200_000));
        assertEquals(0, wrongChecksums(frames[0], 200_000), "wrong here");
        assertEquals(0, other.join(), "wrong on the other thread");
    }

    private static int wrongChecksums(FrameBuffer frame, int rounds) {
        FrameChecksum writing = new FrameChecksum();
        FrameChecksum verifying = new FrameChecksum();
        byte[] copy = new byte[frame.capacity()];
        UnsafeBuffer alone = new UnsafeBuffer(copy);
        int wrong = 0;
        for (int round = 0; round < rounds; round++) {
            frame.buffer().putInt(100, round);
            writing.write(frame.buffer(), 0, copy.length);
            frame.buffer().getBytes(0, copy);
            wrong += verifying.verify(alone, 0, copy.length) ? 0 : 1;
        }
        return wrong;
    }
}
