package io.sluice.codecs;

import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Off-heap memory in which a frame is composed, visible as a segment (for kernels), as an Agrona buffer (for
 * flyweights) and as a byte buffer (for compressors and checksums). All three show the same bytes.
 *
 * <p>Zeroed, aligned to {@link OffHeap#ALIGNMENT}, allocated once and reused: the memory is released when the object is
 * no longer reachable. Not safe for use by several threads.
 */
public final class FrameBuffer {
    private final MemorySegment segment;
    private final UnsafeBuffer buffer;

    /**
     * Allocates the memory.
     *
     * @param capacity capacity in bytes, at least 1
     * @throws IllegalArgumentException if the capacity is not positive
     */
    public FrameBuffer(int capacity) {
        this(allocate(capacity));
    }

    private static ByteBuffer allocate(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity must be positive: " + capacity);
        }
        return BufferUtil.allocateDirectAligned(capacity, OffHeap.ALIGNMENT);
    }

    private FrameBuffer(ByteBuffer memory) {
        segment = MemorySegment.ofBuffer(memory);
        buffer = new UnsafeBuffer(memory);
    }

    /**
     * Allocates the memory of many frames in one piece. Each has a byte buffer of its own, so that several threads may
     * use one frame each: a checksum or a compressor moves the position and limit of the buffer it works on.
     *
     * @param count number of frames, at least 1
     * @param capacity capacity of each in bytes, at least 1
     * @return one buffer for each frame
     * @throws IllegalArgumentException if an argument is below 1 or the buffers take 2 GiB or more
     */
    public static FrameBuffer[] several(int count, int capacity) {
        if (count < 1 || capacity < 1 || count > mostOf(capacity)) {
            throw new IllegalArgumentException(count + " frames of " + capacity
                    + " bytes: expected at least 1 frame of at least 1 byte, and less than 2 GiB in total");
        }
        long stride = stride(capacity);
        ByteBuffer memory = BufferUtil.allocateDirectAligned((int) stride * count, OffHeap.ALIGNMENT);
        FrameBuffer[] frames = new FrameBuffer[count];
        for (int i = 0; i < count; i++) {
            frames[i] = new FrameBuffer(memory.slice((int) stride * i, capacity));
        }
        return frames;
    }

    /**
     * Maximum number of frames that {@link #several} can allocate in one piece.
     *
     * @param capacity capacity of each in bytes, at least 1
     * @return number of frames that together take less than 2 GiB
     */
    public static int mostOf(int capacity) {
        return (int) ((Integer.MAX_VALUE - OffHeap.ALIGNMENT) / stride(capacity));
    }

    private static long stride(int capacity) {
        return (long) capacity + OffHeap.ALIGNMENT - 1 & -OffHeap.ALIGNMENT;
    }

    /**
     * Allocates a buffer for any data frame of slices up to a length, with the working space of a filter and the bytes
     * of a seal.
     *
     * @param maxElements elements of a slice, 1 to {@link BlockFormat#MAX_ELEMENTS}
     * @return a buffer of {@link #roomForDataFrames} bytes
     * @throws IllegalArgumentException if {@code maxElements} is out of range
     */
    public static FrameBuffer forDataFrames(int maxElements) {
        return new FrameBuffer(roomForDataFrames(maxElements));
    }

    /**
     * Number of bytes needed to compose any data frame of slices up to a length, with the working space of a filter and
     * a seal.
     *
     * @param maxElements elements of a slice, 1 to {@link BlockFormat#MAX_ELEMENTS}
     * @return bytes
     * @throws IllegalArgumentException if {@code maxElements} is out of range
     */
    public static int roomForDataFrames(int maxElements) {
        return Frame.longestData(maxElements) + SealTrailer.LENGTH;
    }

    /** The memory as a segment. */
    public MemorySegment segment() {
        return segment;
    }

    /** The memory as an Agrona buffer that wraps a direct byte buffer. */
    public UnsafeBuffer buffer() {
        return buffer;
    }

    /** Capacity in bytes. */
    public int capacity() {
        return buffer.capacity();
    }

    /**
     * Sets the next block to follow the root of a data frame, which {@link DataFrameEncoder} encodes later.
     *
     * @param block block to set
     * @return the given block
     */
    public Block room(Block block) {
        return block.wrap(segment(), Frame.DATA_LENGTH);
    }
}
