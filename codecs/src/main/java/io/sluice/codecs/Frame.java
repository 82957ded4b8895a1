package io.sluice.codecs;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.spi.BlockFormat;
import org.agrona.DirectBuffer;

/**
 * The layout common to all frames: the 8-byte SBE header and the 18-byte envelope after it.
 *
 * <p>The accessors read little-endian fields at fixed offsets and check nothing but the buffer's own bounds, so a frame
 * of at least {@link #ENVELOPE_END} bytes can be attributed and counted before its template is known. Offsets are in
 * bytes from the first byte of the frame.
 */
public final class Frame {
    /**
     * Number of bytes of the SBE header: block length, template id, schema id and version, each an unsigned 16-bit
     * integer.
     */
    public static final int HEADER_LENGTH = 8;

    /** Offset of the root block length, {@code uint16}. */
    public static final int BLOCK_LENGTH_OFFSET = 0;

    /** Offset of the template id, {@code uint16}. */
    public static final int TEMPLATE_ID_OFFSET = 2;

    /** Offset of the schema id, {@code uint16}. */
    public static final int SCHEMA_ID_OFFSET = 4;

    /** Offset of the schema version, {@code uint16}. */
    public static final int VERSION_OFFSET = 6;

    /** Offset of the cluster id, {@code int64}. */
    public static final int CLUSTER_ID_OFFSET = 8;

    /** Offset of the checksum, {@code int32}; see {@link FrameChecksum}. */
    public static final int CHECKSUM_OFFSET = 16;

    /** Offset of the first byte after the checksum, where checksumming continues. */
    public static final int CHECKSUM_END = 20;

    /** Offset of the epoch, {@code int32}. */
    public static final int EPOCH_OFFSET = 20;

    /** Offset of the id of the node that wrote the frame, {@code uint16}. */
    public static final int ORIGIN_OFFSET = 24;

    /** Offset of the first byte after the envelope, and so the length of the shortest frame. */
    public static final int ENVELOPE_END = 26;

    /**
     * Number of bytes of a data frame before its payload: header and root. One cache line, so that the payload is
     * aligned.
     */
    public static final int DATA_LENGTH = 64;

    /** Schema id that every frame carries. */
    public static final int SCHEMA_ID = DataDecoder.SCHEMA_ID;

    /** Schema version that every frame carries. */
    public static final int SCHEMA_VERSION = DataDecoder.SCHEMA_VERSION;

    /**
     * Number of bytes after the payload of a tagged data frame: a number that the update rule of the table needs,
     * {@code int64}. It is the version on which the update was computed, or the weight of the push.
     */
    public static final int TAG_LENGTH = 8;

    /** The tag of a data frame that is not tagged. */
    public static final long NO_TAG = -1;

    private Frame() {}

    /**
     * The length of the longest data frame, without a seal.
     *
     * @param maxElements elements of a slice, 1 to {@link BlockFormat#MAX_ELEMENTS}
     * @return bytes
     * @throws IllegalArgumentException if {@code maxElements} is out of range
     */
    public static int longestData(int maxElements) {
        return DATA_LENGTH + BlockFormat.maxLength(maxElements) + TAG_LENGTH;
    }

    /**
     * Reads the length of the root.
     *
     * @param buffer buffer holding the frame
     * @param offset offset of the frame's first byte
     * @return bytes between the header and the fields that follow the root
     */
    public static int blockLength(DirectBuffer buffer, int offset) {
        return uint16(buffer, offset + BLOCK_LENGTH_OFFSET);
    }

    /** Reads the template id of the frame at {@code offset}. */
    public static int templateId(DirectBuffer buffer, int offset) {
        return uint16(buffer, offset + TEMPLATE_ID_OFFSET);
    }

    /** Reads the schema id of the frame at {@code offset}. */
    public static int schemaId(DirectBuffer buffer, int offset) {
        return uint16(buffer, offset + SCHEMA_ID_OFFSET);
    }

    /** Reads the schema version of the frame at {@code offset}. */
    public static int version(DirectBuffer buffer, int offset) {
        return uint16(buffer, offset + VERSION_OFFSET);
    }

    /** Reads the cluster id of the frame at {@code offset}. */
    public static long clusterId(DirectBuffer buffer, int offset) {
        return buffer.getLong(offset + CLUSTER_ID_OFFSET, LITTLE_ENDIAN);
    }

    /** Reads the stored checksum of the frame at {@code offset}; verify it with {@link FrameChecksum}. */
    public static int checksum(DirectBuffer buffer, int offset) {
        return buffer.getInt(offset + CHECKSUM_OFFSET, LITTLE_ENDIAN);
    }

    /** Reads the epoch of the frame at {@code offset}. */
    public static int epoch(DirectBuffer buffer, int offset) {
        return buffer.getInt(offset + EPOCH_OFFSET, LITTLE_ENDIAN);
    }

    /** Reads the id of the node that wrote the frame at {@code offset}, not of a relay that forwards it. */
    public static int origin(DirectBuffer buffer, int offset) {
        return uint16(buffer, offset + ORIGIN_OFFSET);
    }

    private static int uint16(DirectBuffer buffer, int index) {
        return buffer.getShort(index, LITTLE_ENDIAN) & 0xFFFF;
    }
}
