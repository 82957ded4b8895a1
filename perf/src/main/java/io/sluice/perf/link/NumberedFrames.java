package io.sluice.perf.link;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.codecs.DataHeader;
import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.sbe.DataEncoder;
import io.sluice.perf.codecs.FrameLog;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A few valid data frames of one length that are sent repeatedly: dense f32 slices, numbered in turn, so a receiver
 * detects a missing, duplicated or misplaced frame. Every stack sends these bytes. Not thread-safe.
 */
final class NumberedFrames {
    /** Number of frames, a power of two. They fit into a cache along with the log, as a sender's slices do. */
    static final int COUNT = 8;

    private static final int NUMBER_OFFSET = Frame.HEADER_LENGTH + DataEncoder.sequenceEncodingOffset();
    private static final int CLOCK_OFFSET = Frame.HEADER_LENGTH + DataEncoder.clockEncodingOffset();

    private final int length;
    private final boolean addsChecksum;
    private final FrameLog frames;
    private final FrameChecksum checksum = new FrameChecksum();
    private long next;

    /**
     * Creates the frames and their checksums.
     *
     * @param addsChecksum whether {@link #next} gives each frame a new clock and checksum
     */
    NumberedFrames(int length, boolean addsChecksum) {
        this.length = length;
        this.addsChecksum = addsChecksum;
        frames = new FrameLog(COUNT, length);
        DataHeader header = new DataHeader().clusterId(1).epoch(1).origin(1);
        for (int i = 0; i < COUNT; i++) {
            FrameBuffer frame = FrameLog.dense(length, header.slice(i).sequence(i));
            checksum.write(frame.buffer(), 0, length);
            frames.add(frame, length, 0);
        }
    }

    /** Advances to the next frame; returns its offset in {@link #buffer()}. */
    int next() {
        int offset = frames.offset((int) (next & (COUNT - 1)));
        if (addsChecksum) {
            buffer().putLong(offset + CLOCK_OFFSET, next, LITTLE_ENDIAN);
            checksum.write(buffer(), offset, length);
        }
        next++;
        return offset;
    }

    UnsafeBuffer buffer() {
        return frames.buffer();
    }

    int length() {
        return length;
    }

    /** The number of a frame, 0 to {@link #COUNT} - 1. */
    static int number(DirectBuffer buffer, int offset) {
        return buffer.getInt(offset + NUMBER_OFFSET, LITTLE_ENDIAN);
    }
}
