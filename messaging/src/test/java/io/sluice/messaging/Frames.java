package io.sluice.messaging;

import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.NoCompressor;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.sbe.DataEncoder;
import io.sluice.codecs.sbe.MessageHeaderEncoder;
import io.sluice.codecs.spi.BlockFormat;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Valid data frames of any length, numbered by their clock. */
public final class Frames {
    static final int SMALLEST = length(1);

    private final UnsafeBuffer buffer = new UnsafeBuffer(BufferUtil.allocateDirectAligned(1 << 20, 64));
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final DataEncoder data = new DataEncoder();
    private final FrameChecksum checksum = new FrameChecksum();

    public static FrameValidator validator() {
        return new FrameValidator(FrameValidator.ANY_CLUSTER, new FrameChecksum());
    }

    static int length(int elements) {
        return Frame.DATA_LENGTH + Float.BYTES * elements;
    }

    static int elements(int length) {
        return (length - Frame.DATA_LENGTH) / Float.BYTES;
    }

    public static long number(DirectBuffer buffer, int offset) {
        return buffer.getLong(offset + Frame.HEADER_LENGTH + DataEncoder.clockEncodingOffset());
    }

    public UnsafeBuffer buffer() {
        return buffer;
    }

    /** Encodes the frame with a number; returns its length. */
    public int encode(long number, int elements) {
        int payloadLength = Float.BYTES * elements;
        data.wrapAndApplyHeader(buffer, 0, header);
        data.envelope().clusterId(1).epoch(1).origin(1);
        data.table(0).slice(0).clock(number).sequence(0).elements(elements).count(elements);
        data.rawLength(payloadLength).payloadLength(payloadLength);
        data.format((short) BlockFormat.DENSE.code()).valueType((short) ValueType.F32.code());
        data.compressor((short) NoCompressor.CODE);
        data.flags().clear();
        buffer.setMemory(Frame.DATA_LENGTH, payloadLength, (byte) number);
        int length = length(elements);
        checksum.write(buffer, 0, length);
        return length;
    }
}
