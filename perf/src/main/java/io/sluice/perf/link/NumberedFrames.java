package io.sluice.perf.link;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.NoCompressor;
import io.sluice.codecs.api.BlockFormat;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.sbe.DataEncoder;
import io.sluice.codecs.sbe.MessageHeaderEncoder;
import java.util.SplittableRandom;
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
    private final int stride;
    private final boolean addsChecksum;
    private final UnsafeBuffer buffer;
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
        stride = (length + Frame.DATA_LENGTH - 1) / Frame.DATA_LENGTH * Frame.DATA_LENGTH;
        buffer = new FrameBuffer(COUNT * stride).buffer();
        SplittableRandom random = new SplittableRandom(length);
        for (int i = 0; i < COUNT; i++) {
            write(i, i * stride, random);
        }
    }

    private void write(int number, int offset, SplittableRandom random) {
        int payloadLength = length - Frame.DATA_LENGTH;
        int elements = Math.max(1, payloadLength / Float.BYTES);
        BlockFormat format = payloadLength == 0 ? BlockFormat.EMPTY : BlockFormat.DENSE;
        DataEncoder root = new DataEncoder().wrapAndApplyHeader(buffer, offset, new MessageHeaderEncoder());
        root.envelope().clusterId(1).epoch(1).origin(1);
        root.table(0)
                .slice(number)
                .clock(0)
                .sequence(number)
                .elements(elements)
                .count(payloadLength / Float.BYTES)
                .rawLength(payloadLength)
                .payloadLength(payloadLength)
                .format((short) format.code())
                .valueType((short) ValueType.F32.code())
                .compressor((short) NoCompressor.CODE);
        root.flags().clear();
        for (int i = 0; i < payloadLength; i += Float.BYTES) {
            buffer.putFloat(offset + Frame.DATA_LENGTH + i, (float) random.nextDouble(-1, 1), LITTLE_ENDIAN);
        }
        checksum.write(buffer, offset, length);
    }

    /** Advances to the next frame; returns its offset in {@link #buffer()}. */
    int next() {
        int offset = (int) (next & (COUNT - 1)) * stride;
        if (addsChecksum) {
            buffer.putLong(offset + CLOCK_OFFSET, next, LITTLE_ENDIAN);
            checksum.write(buffer, offset, length);
        }
        next++;
        return offset;
    }

    UnsafeBuffer buffer() {
        return buffer;
    }

    int length() {
        return length;
    }

    /** The number of a frame, 0 to {@link #COUNT} - 1. */
    static int number(DirectBuffer buffer, int offset) {
        return buffer.getInt(offset + NUMBER_OFFSET, LITTLE_ENDIAN);
    }
}
