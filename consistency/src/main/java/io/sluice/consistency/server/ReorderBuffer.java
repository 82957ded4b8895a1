package io.sluice.consistency.server;

import io.sluice.codecs.AcceptedCompressors;
import io.sluice.codecs.DataFrameDecoder;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.Rejection;
import org.agrona.DirectBuffer;

/**
 * Holds pushes that arrive before their turn in an ordered sum, so that they do not block more urgent pushes behind
 * them in the same log (decision 2). Bounded, allocated once for all tables of a server; once it is full, a frame stays
 * in its log. Used by the server's thread.
 */
final class ReorderBuffer {
    /** No slot; {@link #hold} never returns it. */
    static final int NO_SLOT = -1;

    private final FrameBuffer[] frames;
    private final int[] lengths;
    private final int[] free;
    private final DataFrameDecoder decoder;
    private int freeSlots;

    private ReorderBuffer(FrameBuffer[] frames, DataFrameDecoder decoder) {
        this.frames = frames;
        this.lengths = new int[frames.length];
        this.free = new int[frames.length];
        this.decoder = decoder;
        for (int slot = 0; slot < free.length; slot++) {
            free[freeSlots++] = slot;
        }
    }

    /** A buffer without slots: every frame waits for its turn in its log. */
    static ReorderBuffer none() {
        return new ReorderBuffer(new FrameBuffer[0], null);
    }

    /**
     * Allocates the buffer.
     *
     * @param maxFrames   maximum number of frames that can arrive early, from 0
     * @param maxBytes    bytes of the buffer
     * @param frameLength length of the longest frame
     * @param maxElements elements of a slice
     * @param accepted    compressors that the cluster accepts; this instance belongs to the server's thread
     * @return a buffer whose capacity is the smaller of the two limits
     */
    static ReorderBuffer of(
            long maxFrames, long maxBytes, int frameLength, int maxElements, AcceptedCompressors accepted) {
        int slots = (int) Math.min(Math.min(maxFrames, maxBytes / frameLength), FrameBuffer.mostOf(frameLength));
        return slots < 1
                ? none()
                : new ReorderBuffer(
                        FrameBuffer.several(slots, frameLength), new DataFrameDecoder(maxElements, accepted));
    }

    /** Number of frames that the buffer can hold at once. */
    int capacity() {
        return frames.length;
    }

    boolean hasRoom() {
        return freeSlots > 0;
    }

    /**
     * Copies a frame into a free slot. Callers check first that there is one.
     *
     * @return the slot for {@link #release}
     */
    int hold(DirectBuffer buffer, int offset, int length) {
        int slot = free[--freeSlots];
        frames[slot].buffer().putBytes(0, buffer, offset, length);
        lengths[slot] = length;
        return slot;
    }

    /**
     * Opens a frame and releases its slot. The result is valid until the next call to any method of this class.
     *
     * @throws IllegalStateException if the frame has changed since it was held
     */
    DataFrameDecoder release(int slot) {
        free[freeSlots++] = slot;
        Rejection rejection = decoder.wrap(frames[slot].buffer(), 0, lengths[slot]);
        if (null != rejection) {
            throw new IllegalStateException("a push that was valid when it arrived is now rejected: " + rejection);
        }
        return decoder;
    }
}
