package io.sluice.codecs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32C;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class FrameChecksumTest {
    private static final int LENGTH = 100;

    private final FrameChecksum checksum = new FrameChecksum();
    private final byte[] bytes = new byte[LENGTH];

    FrameChecksumTest() {
        new Random(7).nextBytes(bytes);
    }

    @Test
    void coversAllBytesButItsOwn() {
        UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        assertEquals(expected(), checksum.compute(buffer, 0, LENGTH));

        int before = checksum.compute(buffer, 0, LENGTH);
        for (int i = 0; i < LENGTH; i++) {
            boolean covered = i < Frame.CHECKSUM_OFFSET || i >= Frame.CHECKSUM_END;
            bytes[i] ^= 1;
            assertEquals(covered, before != checksum.compute(buffer, 0, LENGTH), "byte " + i);
            bytes[i] ^= 1;
        }
    }

    @Test
    void isTheSameInEveryKindOfBuffer() {
        ByteBuffer direct = ByteBuffer.allocateDirect(300);
        direct.put(31, bytes);
        byte[] array = new byte[300];
        System.arraycopy(bytes, 0, array, 31, LENGTH);

        assertEquals(expected(), checksum.compute(new UnsafeBuffer(direct), 31, LENGTH));
        assertEquals(expected(), checksum.compute(new UnsafeBuffer(direct, 20, 200), 11, LENGTH));
        assertEquals(expected(), checksum.compute(new UnsafeBuffer(direct.slice(20, 200)), 11, LENGTH));
        assertEquals(expected(), checksum.compute(new UnsafeBuffer(array, 20, 200), 11, LENGTH));
        assertEquals(expected(), checksum.compute(new UnsafeBuffer(ByteBuffer.wrap(array), 20, 200), 11, LENGTH));
    }

    @Test
    void leavesThePositionOfASharedByteBufferAlone() {
        ByteBuffer direct = ByteBuffer.allocateDirect(300);
        direct.limit(40).position(17);

        checksum.compute(new UnsafeBuffer(direct), 100, LENGTH);

        assertEquals(17, direct.position());
        assertEquals(40, direct.limit());
    }

    @Test
    void remembersMoreBuffersThanItHasRoomFor() {
        UnsafeBuffer[] buffers = new UnsafeBuffer[100];
        for (int i = 0; i < buffers.length; i++) {
            buffers[i] = new UnsafeBuffer(ByteBuffer.allocateDirect(LENGTH));
            buffers[i].putBytes(0, bytes);
            buffers[i].putByte(50, (byte) i);
        }
        for (int round = 0; round < 3; round++) {
            for (UnsafeBuffer buffer : buffers) {
                buffer.getBytes(0, bytes);
                assertEquals(expected(), checksum.compute(buffer, 0, LENGTH));
            }
        }
    }

    @Test
    void writtenChecksumIsVerified() {
        UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(LENGTH));
        buffer.putBytes(0, bytes);
        checksum.write(buffer, 0, LENGTH);

        assertTrue(checksum.verify(buffer, 0, LENGTH));
        assertFalse(checksum.verify(buffer, 0, LENGTH - 1));
        buffer.putByte(99, (byte) (buffer.getByte(99) + 1));
        assertFalse(checksum.verify(buffer, 0, LENGTH));
    }

    @Test
    void refusesABareAddress() {
        MemorySegment segment = OffHeap.allocate(LENGTH);
        UnsafeBuffer buffer = OffHeap.view(segment);

        assertThrows(IllegalArgumentException.class, () -> checksum.compute(buffer, 0, LENGTH));
        Reference.reachabilityFence(segment);
    }

    private int expected() {
        CRC32C crc = new CRC32C();
        crc.update(Arrays.copyOfRange(bytes, 0, 16));
        crc.update(Arrays.copyOfRange(bytes, 20, LENGTH));
        return (int) crc.getValue();
    }
}
