package io.sluice.codecs;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Off-heap room in which a frame is composed, visible at once as a segment (for kernels), as an Agrona buffer (for
 * flyweights) and as a byte buffer (for compressors and checksums). All three show the same bytes.
 *
 * <p>Zeroed, aligned to {@link OffHeap#ALIGNMENT}, made once and used for ever: the memory is released when the
 * object is no longer reachable. Not safe for use by several threads.
 */
public final class FrameBuffer {
    private final ByteBuffer byteBuffer;
    private final MemorySegment segment;
    private final UnsafeBuffer buffer;

    /**
     * Allocates the room.
     *
     * @param capacity in bytes, at least 1
     * @throws IllegalArgumentException if the capacity is not positive
     */
    public FrameBuffer(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity must be positive: " + capacity);
        }
        byteBuffer = BufferUtil.allocateDirectAligned(capacity, OffHeap.ALIGNMENT);
        segment = MemorySegment.ofBuffer(byteBuffer);
        buffer = new UnsafeBuffer(byteBuffer);
    }

    /**
     * Makes room for any data frame of slices up to a length, with the working space a filter needs.
     *
     * @param maxElements of a slice, 1 to {@link BlockFormat#MAX_ELEMENTS}
     * @return a buffer of {@code DATA_LENGTH + BlockFormat.maxLength(maxElements)} bytes
     * @throws IllegalArgumentException if {@code maxElements} is out of range
     */
    public static FrameBuffer forDataFrames(int maxElements) {
        return new FrameBuffer(Frame.DATA_LENGTH + BlockFormat.maxLength(maxElements));
    }

    /** The memory as a segment. */
    public MemorySegment segment() {
        return segment;
    }

    /** The memory as an Agrona buffer that wraps a direct byte buffer. */
    public UnsafeBuffer buffer() {
        return buffer;
    }

    /** Bytes of room. */
    public int capacity() {
        return byteBuffer.capacity();
    }
}
