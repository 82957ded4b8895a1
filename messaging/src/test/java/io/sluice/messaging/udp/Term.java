package io.sluice.messaging.udp;

import io.aeron.logbuffer.FrameDescriptor;
import io.aeron.protocol.DataHeaderFlyweight;
import io.aeron.protocol.HeaderFlyweight;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/** A term with frames one after the other. */
final class Term {
    static final int LENGTH = 1 << 20;

    final UnsafeBuffer buffer = new UnsafeBuffer(BufferUtil.allocateDirectAligned(LENGTH, 64));
    int end;

    /** Commits a number of frames of a length, header included. */
    Term frames(int count, int length) {
        for (int i = 0; i < count; i++) {
            frame(length, HeaderFlyweight.HDR_TYPE_DATA);
        }
        return this;
    }

    Term padding(int length) {
        return frame(length, HeaderFlyweight.HDR_TYPE_PAD);
    }

    Term at(int offset) {
        end = offset;
        return this;
    }

    private Term frame(int length, int type) {
        buffer.putShort(end + DataHeaderFlyweight.TYPE_FIELD_OFFSET, (short) type);
        FrameDescriptor.frameLengthOrdered(buffer, end, length);
        end += BitUtil.align(length, FrameDescriptor.FRAME_ALIGNMENT);
        return this;
    }
}
