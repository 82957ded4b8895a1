package io.sluice.codecs;

import io.sluice.codecs.sbe.DataEncoder;
import io.sluice.codecs.sbe.MessageHeaderEncoder;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Makes a data frame of a block, in place: the filter has written the block behind the room for header and root, and
 * this compresses it where that saves bytes, fills in header and root, and seals the frame.
 *
 * <p>One per thread. Allocates nothing per frame.
 */
public final class DataFrameEncoder {
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final DataEncoder root = new DataEncoder();
    private final int maxBlockLength;
    private FrameBuffer scratch;

    /**
     * Makes an encoder.
     *
     * @param maxElements longest slice it will meet, 1 to {@link BlockFormat#MAX_ELEMENTS}
     * @throws IllegalArgumentException if {@code maxElements} is out of range
     */
    public DataFrameEncoder(int maxElements) {
        maxBlockLength = BlockFormat.maxLength(maxElements);
    }

    /**
     * Encodes one frame at the start of a buffer.
     *
     * @param frame holding the block at {@link Frame#DATA_LENGTH}
     * @param parameters of the frame
     * @param block what the filter wrote there
     * @param compressor to try; the frame names it only if it saved bytes
     * @param checksum of the same thread
     * @return length of the frame in bytes
     * @throws IllegalArgumentException if the block is not at its place or is longer than this encoder was made for
     */
    public int encode(
            FrameBuffer frame, DataHeader parameters, Block block, BlockCompressor compressor, FrameChecksum checksum) {
        if (block.segment() != frame.segment() || block.offset() != Frame.DATA_LENGTH) {
            throw new IllegalArgumentException("block is not behind the root of the frame: offset " + block.offset());
        }
        int compressedLength = compress(frame, block, compressor);
        boolean compressed = compressedLength >= 0;
        int payloadLength = compressed ? compressedLength : block.length();
        int compressorCode = compressed ? compressor.code() : NoCompressor.CODE;
        writeRoot(frame.buffer(), parameters, block, payloadLength, compressorCode);
        int length = Frame.DATA_LENGTH + payloadLength;
        checksum.seal(frame.buffer(), 0, length);
        return length;
    }

    /** Compresses the block in place. Returns its new length, or -1 if it stays as it is. */
    private int compress(FrameBuffer frame, Block block, BlockCompressor compressor) {
        if (compressor.code() == NoCompressor.CODE || block.length() == 0) {
            return -1;
        }
        UnsafeBuffer buffer = frame.buffer();
        UnsafeBuffer target = scratchFor(compressor).buffer();
        int length = compressor.compress(buffer, Frame.DATA_LENGTH, block.length(), target, 0, target.capacity());
        if (length < 0 || length >= block.length()) {
            return -1;
        }
        buffer.putBytes(Frame.DATA_LENGTH, target, 0, length);
        return length;
    }

    /** Room for the worst that a compressor makes of the longest block: allocated with the first frame. */
    private FrameBuffer scratchFor(BlockCompressor compressor) {
        int needed = compressor.maxCompressedLength(maxBlockLength);
        if (scratch == null || scratch.capacity() < needed) {
            scratch = new FrameBuffer(needed);
        }
        return scratch;
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
                .valueType((short) ValueType.F32.code())
                .compressor((short) compressorCode)
                .flags((short) parameters.flags());
    }
}
