package io.sluice.messaging;

import static org.agrona.BitUtil.CACHE_LINE_LENGTH;

import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Joins the pieces of one sender's long frames, outside the heap.
 *
 * <p>Aeron's own assembler grows for as long as pieces arrive, and a forged stream never sends the last one; this class
 * has a limit. It grows by doubling up to the longest frame received and then allocates no more.
 */
final class Reassembly {
    /** Stands for no frame. */
    private static final int NONE = -1;

    private final int limit;
    private final UnsafeBuffer joined = new UnsafeBuffer(0, 0);
    private int length = NONE;
    private int expectedTermOffset = NONE;

    /** Creates a reassembly of frames up to a limit. @param limit length of the longest frame in bytes. */
    Reassembly(int limit) {
        this.limit = limit;
    }

    /**
     * Takes the first piece of a frame and drops an unfinished frame.
     *
     * @return false if the limit is exceeded.
     */
    boolean begin(DirectBuffer buffer, int offset, int pieceLength, int nextTermOffset) {
        length = 0;
        expectedTermOffset = nextTermOffset;
        return append(buffer, offset, pieceLength);
    }

    /** Whether the piece at this place in the term follows the pieces taken so far. */
    boolean continuesAt(int termOffset) {
        return length != NONE && termOffset == expectedTermOffset;
    }

    /**
     * Appends a further piece, which must be the one that {@link #continuesAt} accepted.
     *
     * @return false if the limit is exceeded; the frame is then dropped.
     */
    boolean append(DirectBuffer buffer, int offset, int pieceLength, int nextTermOffset) {
        expectedTermOffset = nextTermOffset;
        return append(buffer, offset, pieceLength);
    }

    private boolean append(DirectBuffer buffer, int offset, int pieceLength) {
        if (pieceLength > limit - length) {
            forget();
            return false;
        }
        ensureCapacity(length + pieceLength);
        joined.putBytes(length, buffer, offset, pieceLength);
        length += pieceLength;
        return true;
    }

    /** Removes the last piece, which will be read again from the same position. */
    void unappend(int pieceLength, int termOffset) {
        length -= pieceLength;
        expectedTermOffset = termOffset;
    }

    void forget() {
        length = NONE;
        expectedTermOffset = NONE;
    }

    DirectBuffer buffer() {
        return joined;
    }

    int length() {
        return length;
    }

    private void ensureCapacity(int needed) {
        if (needed <= joined.capacity()) {
            return;
        }
        int capacity = (int) Math.min(limit, Math.max(needed, 2L * joined.capacity()));
        ByteBuffer larger = BufferUtil.allocateDirectAligned(capacity, CACHE_LINE_LENGTH);
        UnsafeBuffer target = new UnsafeBuffer(larger);
        target.putBytes(0, joined, 0, length);
        joined.wrap(larger);
    }
}
