package io.sluice.codecs;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.codecs.sbe.DataEncoder;
import io.sluice.codecs.sbe.MessageHeaderEncoder;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Creates a data frame around a block, in place. The filter writes the block after the bytes of header and root. The
 * encoder compresses the block if that makes it shorter, fills in header and root, and writes the checksum.
 *
 * <p>One per thread. Allocates nothing per frame.
 */
public final class DataFrameEncoder {
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final DataEncoder root = new DataEncoder();
    private final int maxElements;

    /**
     * Creates an encoder.
     *
     * @param maxElements elements of the longest slice, 1 to {@link BlockFormat#MAX_ELEMENTS}
     * @throws IllegalArgumentException if {@code maxElements} is out of range
     */
    public DataFrameEncoder(int maxElements) {
        BlockFormat.checkElements(maxElements);
        this.maxElements = maxElements;
    }

    /**
     * Encodes one frame at the start of a buffer, with its checksum.
     *
     * @param frame buffer holding the block at {@link Frame#DATA_LENGTH}
     * @param parameters parameters of the frame
     * @param block the block that the filter wrote there
     * @param compressor decides whether to compress the block; of the same thread
     * @param checksum checksum of the same thread
     * @return length of the frame in bytes
     * @throws IllegalArgumentException if the block does not start at {@link Frame#DATA_LENGTH}, has more elements than
     *     this encoder was created for, or is longer than any receiver accepts
     */
    public int encode(
            FrameBuffer frame,
            DataHeader parameters,
            Block block,
            PayloadCompressor compressor,
            FrameChecksum checksum) {
        int length = compose(frame, parameters, block, compressor);
        checksum.write(frame.buffer(), 0, length);
        return length;
    }

    /**
     * Encodes one frame at the start of a buffer without its checksum, because the frame may have to be sealed first.
     *
     * @param frame buffer holding the block at {@link Frame#DATA_LENGTH}
     * @param parameters parameters of the frame
     * @param block the block that the filter wrote there
     * @param compressor decides whether to compress the block; of the same thread
     * @return length of the frame in bytes
     * @throws IllegalArgumentException if the block does not start at {@link Frame#DATA_LENGTH}, has more elements than
     *     this encoder was created for, or is longer than any receiver accepts
     */
    public int compose(FrameBuffer frame, DataHeader parameters, Block block, PayloadCompressor compressor) {
        if (block.segment() != frame.segment() || block.offset() != Frame.DATA_LENGTH) {
            throw new IllegalArgumentException(
                    "the block must follow the root of the frame, but its offset is " + block.offset());
        }
        if (block.elements() > maxElements) {
            throw new IllegalArgumentException(
                    "the block has " + block.elements() + " elements, expected up to " + maxElements);
        }
        int maxLength = BlockFormat.maxLength(block.elements());
        if (block.length() > maxLength) {
            throw new IllegalArgumentException("the block of " + block.elements() + " elements has " + block.length()
                    + " bytes, expected up to " + maxLength);
        }
        int payloadLength = compressor.compress(frame, block, block.values());
        writeRoot(frame.buffer(), parameters, block, payloadLength, compressor.code());
        int length = Frame.DATA_LENGTH + payloadLength;
        if (Frame.NO_TAG == parameters.tag()) {
            return length;
        }
        frame.buffer().putLong(length, parameters.tag(), LITTLE_ENDIAN);
        return length + Frame.TAG_LENGTH;
    }

    private void writeRoot(
            UnsafeBuffer buffer, DataHeader parameters, Block block, int payloadLength, int compressorCode) {
        root.wrapAndApplyHeader(buffer, 0, header);
        root.envelope()
                .clusterId(parameters.clusterId())
                .epoch(parameters.epoch())
                .origin(parameters.origin());
        root.table(parameters.table())
                .slice(parameters.slice())
                .clock(parameters.clock())
                .sequence(parameters.sequence())
                .elements(block.elements())
                .count(block.count())
                .rawLength(block.length())
                .payloadLength(payloadLength)
                .format((short) block.format().code())
                .valueType((short) block.values().code())
                .compressor((short) compressorCode);
        root.flags().clear().partial(parameters.partial()).tagged(Frame.NO_TAG != parameters.tag());
    }
}
