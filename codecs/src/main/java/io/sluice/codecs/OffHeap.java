package io.sluice.codecs;

import io.sluice.codecs.spi.Block;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Addresses memory outside the Java heap.
 *
 * <p>Kernels take a {@link MemorySegment} and a byte offset. A received frame is known only by its address in a log
 * that the transport has mapped, and a segment for each frame would be an allocation for each frame. So one segment,
 * {@link #ALL}, covers all memory, and an offset in it is an absolute address.
 */
public final class OffHeap {
    /** Alignment in bytes of memory from {@link #allocate}: a cache line, and the widest vector register. */
    public static final int ALIGNMENT = 64;

    /**
     * All native memory; offsets are addresses. It checks nothing: a read from a wrong address ends the process, and a
     * write is worse. Use it only with addresses and lengths already validated against the buffer they come from.
     */
    @SuppressWarnings("restricted")
    public static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private OffHeap() {}

    /**
     * The offset in {@link #ALL} of an index of an off-heap buffer.
     *
     * @param buffer off-heap
     * @param offset bytes from the start of the buffer
     * @return the address
     */
    public static long address(DirectBuffer buffer, int offset) {
        assert buffer.byteArray() == null : "on-heap buffer has no address";
        return buffer.addressOffset() + offset;
    }

    /**
     * The offset in {@link #ALL} of a run of floats in a segment, checked: kernels check no bounds. The segment must
     * stay reachable for as long as the address is used, and no thread may close its arena in the meantime: memory of
     * {@link #allocate} cannot be closed, and the user keeps an arena of their own open.
     *
     * @param segment native
     * @param offset offset of the first float, in bytes
     * @param floats floats in the run
     * @param what the segment is to the caller, for the error
     * @return the address
     * @throws IllegalArgumentException if the segment is on the heap
     * @throws IllegalStateException if its memory has been released
     * @throws WrongThreadException if it is confined to another thread
     * @throws IndexOutOfBoundsException if the run is not within the segment
     */
    public static long address(MemorySegment segment, long offset, int floats, String what) {
        if (!segment.isNative()) {
            throw new IllegalArgumentException(what + " must be native memory or an array of floats: " + segment);
        }
        if (!segment.scope().isAlive()) {
            throw new IllegalStateException(what + " has been released: " + segment);
        }
        if (!segment.isAccessibleBy(Thread.currentThread())) {
            throw new WrongThreadException(what + " belongs to another thread: " + segment);
        }
        Objects.checkFromIndexSize(offset, (long) floats * Float.BYTES, segment.byteSize());
        return segment.address() + offset;
    }

    /**
     * Like {@link #address(MemorySegment, long, int, String)}, for memory that will be written.
     *
     * @param segment native, not read-only
     * @param offset offset of the first float, in bytes
     * @param floats floats in the run
     * @param what the segment is to the caller, for the error
     * @return the address
     * @throws IllegalArgumentException if the segment is on the heap or read-only
     * @throws IllegalStateException if its memory has been released
     * @throws WrongThreadException if it is confined to another thread
     * @throws IndexOutOfBoundsException if the run is not within the segment
     */
    public static long writableAddress(MemorySegment segment, long offset, int floats, String what) {
        if (segment.isReadOnly()) {
            throw new IllegalArgumentException(what + " is read-only: " + segment);
        }
        return address(segment, offset, floats, what);
    }

    /**
     * Allocates zeroed memory aligned to {@link #ALIGNMENT}. It is released when no segment over it is reachable, never
     * explicitly: kernels hold addresses only, so an explicit release on one thread could free memory that a kernel on
     * another thread uses.
     *
     * @param bytes bytes to allocate, 0 or more
     * @return the memory
     */
    public static MemorySegment allocate(long bytes) {
        return Arena.ofAuto().allocate(bytes, ALIGNMENT);
    }

    /**
     * Wraps a native segment in an Agrona buffer. The buffer does not keep the segment's arena open, and has no byte
     * buffer, which {@link FrameChecksum} and the compressors need: see {@link FrameBuffer}.
     *
     * @param segment native, below 2 GiB
     * @return a view of the same bytes
     * @throws IllegalArgumentException if the segment is on the heap or too large
     */
    public static UnsafeBuffer view(MemorySegment segment) {
        if (!segment.isNative() || segment.byteSize() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("segment must be native and below 2 GiB: " + segment);
        }
        return new UnsafeBuffer(segment.address(), (int) segment.byteSize());
    }

    /** Absolute address of a block, for kernels. Its segment must be native, and reachable for as long. */
    public static long address(Block block) {
        return block.segment().address() + block.offset();
    }
}
