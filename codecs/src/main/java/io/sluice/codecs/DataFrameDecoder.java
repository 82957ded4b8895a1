package io.sluice.codecs;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.spi.BlockCompressor;
import io.sluice.codecs.spi.BlockFormat;
import org.agrona.DirectBuffer;

/**
 * Opens a data frame: decompresses the payload if necessary and checks the block against its counts. Once
 * {@link #wrap} has returned {@code null}, the block can be applied to any target of {@link #elements()} values without
 * further checks.
 *
 * <p>An uncompressed block is used in place and valid as long as the frame's memory; a compressed one until the next
 * {@code wrap}. One per thread. Allocates nothing per frame.
 */
public final class DataFrameDecoder {
    private final DataDecoder root = new DataDecoder();
    private final int maxElements;
    private final AcceptedCompressors accepted;
    private final FrameBuffer decompressed;
    private FrameBuffer offHeapCopy;
    private BlockFormat format;
    private ValueType valueType;
    private long blockAddress;
    private long valuesAddress;
    private int checksum;
    private long tag;

    /**
     * Creates a decoder.
     *
     * @param maxElements length of the longest slice to accept, 1 to {@link BlockFormat#MAX_ELEMENTS}
     * @param accepted compressors of the cluster, of the same thread. Uncompressed payloads are always accepted, and
     *     those of other compressors never, so a frame from an outsider cannot make this process load a native library
     * @throws IllegalArgumentException if {@code maxElements} is out of range
     */
    public DataFrameDecoder(int maxElements, AcceptedCompressors accepted) {
        this.maxElements = maxElements;
        this.accepted = accepted;
        this.decompressed = new FrameBuffer(BlockFormat.maxLength(maxElements));
    }

    /**
     * Opens a frame.
     *
     * @param buffer buffer holding a data frame that {@link FrameValidator} accepts
     * @param offset offset of its first byte
     * @param length length of the frame
     * @return {@code null} if the payload is valid, too; otherwise the fault, and no other method may be called
     */
    public Rejection wrap(DirectBuffer buffer, int offset, int length) {
        if (buffer.byteArray() != null) {
            return wrapCopy(buffer, offset, length);
        }
        root.wrap(buffer, offset + Frame.HEADER_LENGTH, DataDecoder.BLOCK_LENGTH, Frame.SCHEMA_VERSION);
        checksum = Frame.checksum(buffer, offset);
        tag = root.flags().tagged()
                ? buffer.getLong(offset + Frame.DATA_LENGTH + root.payloadLength(), LITTLE_ENDIAN)
                : Frame.NO_TAG;
        format = BlockFormat.fromCode(root.format());
        valueType = ValueType.fromCode(root.valueType());
        if (root.elements() > maxElements) {
            return Rejection.BAD_LENGTH;
        }
        Rejection rejection = openPayload(buffer, offset + Frame.DATA_LENGTH);
        if (rejection != null) {
            return rejection;
        }
        int indicesLength = BlockValidator.validate(
                blockAddress, root.rawLength(), format, valueType, root.elements(), root.count());
        valuesAddress = blockAddress + indicesLength;
        return indicesLength < 0 ? Rejection.BAD_BLOCK : null;
    }

    /** Opens an off-heap copy of a frame on the heap, which has no address. The transport reassembles frames there. */
    private Rejection wrapCopy(DirectBuffer buffer, int offset, int length) {
        if (offHeapCopy == null) {
            offHeapCopy = FrameBuffer.forDataFrames(maxElements);
        }
        if (length > offHeapCopy.capacity()) {
            return Rejection.BAD_LENGTH;
        }
        offHeapCopy.buffer().putBytes(0, buffer, offset, length);
        return wrap(offHeapCopy.buffer(), 0, length);
    }

    private Rejection openPayload(DirectBuffer buffer, int payloadOffset) {
        int code = root.compressor();
        if (code == NoCompressor.CODE) {
            blockAddress = OffHeap.address(buffer, payloadOffset);
            return null;
        }
        BlockCompressor compressor = accepted.withCode(code);
        if (compressor == null) {
            return Rejection.UNKNOWN_COMPRESSOR;
        }
        blockAddress = OffHeap.address(decompressed.buffer(), 0);
        int rawLength = root.rawLength();
        int length =
                compressor.decompress(buffer, payloadOffset, root.payloadLength(), decompressed.buffer(), 0, rawLength);
        return length == rawLength ? null : Rejection.BAD_COMPRESSION;
    }

    /** Bytes of the block as sent, before decompression. */
    public int payloadLength() {
        return root.payloadLength();
    }

    /** The table. */
    public int table() {
        return root.table();
    }

    /** The slice within the table. */
    public int slice() {
        return root.slice();
    }

    /** The clock (push) or version (broadcast). */
    public long clock() {
        return root.clock();
    }

    /** The ordinal of the frame within its table, clock and link. */
    public int sequence() {
        return root.sequence();
    }

    /** Number of elements of the slice. */
    public int elements() {
        return root.elements();
    }

    /** Number of values in the block. */
    public int count() {
        return root.count();
    }

    /** Length of the block before compression, in bytes. */
    public int blockLength() {
        return root.rawLength();
    }

    /** Whether another part of the slice follows in the same clock. */
    public boolean partial() {
        return root.flags().partial();
    }

    /** The number that the update rule of the table needs; {@link Frame#NO_TAG} if the frame is not tagged. */
    public long tag() {
        return tag;
    }

    /** The checksum stored in the frame, for {@link ClockDigest}. */
    public int checksum() {
        return checksum;
    }

    /** How the block encodes which elements have values. */
    public BlockFormat format() {
        return format;
    }

    /** How its values are encoded. */
    public ValueType valueType() {
        return valueType;
    }

    /** Absolute address of the block, which begins with its indices. */
    public long blockAddress() {
        return blockAddress;
    }

    /** Absolute address of the column of values. */
    public long valuesAddress() {
        return valuesAddress;
    }
}
