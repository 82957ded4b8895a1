package io.sluice.codecs;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.DeclarationDecoder;
import io.sluice.codecs.sbe.ErrorDecoder;
import io.sluice.codecs.sbe.HeartbeatDecoder;
import io.sluice.codecs.sbe.JoinDecoder;
import io.sluice.codecs.sbe.LeaveDecoder;
import io.sluice.codecs.sbe.MarkDecoder;
import io.sluice.codecs.sbe.PullDecoder;
import io.sluice.codecs.sbe.WelcomeDecoder;
import org.agrona.DirectBuffer;

/**
 * Judges a frame as it comes off a link, before any flyweight is put over it.
 *
 * <p>Whatever the bytes are, {@link #validate} returns a verdict and reads nothing outside the frame. After a {@code
 * null} the generated decoder of the frame's template may be used freely: all lengths inside the frame add up to the
 * length of the frame, to the byte. What the fields mean to the cluster (epoch, origin, table) is for others to
 * judge, and the payload of a data frame for {@link DataFrameDecoder}.
 *
 * <p>The checks run from cheap to dear, the checksum last. One per thread.
 */
public final class FrameValidator {
    /** A cluster id that accepts frames of any cluster: for a node that does not yet know its own. */
    public static final long ANY_CLUSTER = 0;

    private static final int LENGTH_BYTES = Short.BYTES;

    private final FrameChecksum checksum;
    private final DataDecoder data = new DataDecoder();
    private long clusterId;

    /**
     * Makes a validator.
     *
     * @param clusterId to accept, or {@link #ANY_CLUSTER}
     * @param checksum of the same thread
     */
    public FrameValidator(long clusterId, FrameChecksum checksum) {
        this.clusterId = clusterId;
        this.checksum = checksum;
    }

    /** The cluster id accepted, or {@link #ANY_CLUSTER}. */
    public long clusterId() {
        return clusterId;
    }

    /** Narrows (or widens) what is accepted: to be called by the owning thread once the node is welcomed. */
    public void clusterId(long newClusterId) {
        this.clusterId = newClusterId;
    }

    /**
     * Judges one frame.
     *
     * @param buffer holding the frame
     * @param offset of its first byte
     * @param length of the frame in bytes, as the transport reports it
     * @return {@code null} if the frame is sound, else the first thing found wrong
     */
    public Rejection validate(DirectBuffer buffer, int offset, int length) {
        Rejection rejection = validateEnvelope(buffer, offset, length);
        if (rejection == null) {
            rejection = validateBody(buffer, offset, length);
        }
        if (rejection == null && !checksum.verify(buffer, offset, length)) {
            rejection = Rejection.BAD_CHECKSUM;
        }
        return rejection;
    }

    private Rejection validateEnvelope(DirectBuffer buffer, int offset, int length) {
        if (offset < 0 || length < Frame.ENVELOPE_END || length > buffer.capacity() - offset) {
            return Rejection.TRUNCATED;
        }
        if (Frame.schemaId(buffer, offset) != Frame.SCHEMA_ID) {
            return Rejection.FOREIGN_SCHEMA;
        }
        if (Frame.version(buffer, offset) != Frame.SCHEMA_VERSION && !isOfAllVersions(buffer, offset)) {
            return Rejection.UNSUPPORTED_VERSION;
        }
        int rootLength = rootLength(Frame.templateId(buffer, offset));
        if (rootLength < 0) {
            return Rejection.UNKNOWN_TEMPLATE;
        }
        if (Frame.blockLength(buffer, offset) != rootLength) {
            return Rejection.BAD_LENGTH;
        }
        if (length < Frame.HEADER_LENGTH + rootLength) {
            return Rejection.TRUNCATED;
        }
        if (clusterId != ANY_CLUSTER && Frame.clusterId(buffer, offset) != clusterId) {
            return Rejection.FOREIGN_CLUSTER;
        }
        return null;
    }

    /** The question to be let in and the answer that refuses it: two versions must understand that they differ. */
    private static boolean isOfAllVersions(DirectBuffer buffer, int offset) {
        int templateId = Frame.templateId(buffer, offset);
        return templateId == JoinDecoder.TEMPLATE_ID || templateId == ErrorDecoder.TEMPLATE_ID;
    }

    /** Length of a template's root in this version of the schema, or -1 if there is no such template. */
    private static int rootLength(int templateId) {
        return switch (templateId) {
            case DataDecoder.TEMPLATE_ID -> DataDecoder.BLOCK_LENGTH;
            case MarkDecoder.TEMPLATE_ID -> MarkDecoder.BLOCK_LENGTH;
            case DeclarationDecoder.TEMPLATE_ID -> DeclarationDecoder.BLOCK_LENGTH;
            case PullDecoder.TEMPLATE_ID -> PullDecoder.BLOCK_LENGTH;
            case JoinDecoder.TEMPLATE_ID -> JoinDecoder.BLOCK_LENGTH;
            case WelcomeDecoder.TEMPLATE_ID -> WelcomeDecoder.BLOCK_LENGTH;
            case HeartbeatDecoder.TEMPLATE_ID -> HeartbeatDecoder.BLOCK_LENGTH;
            case LeaveDecoder.TEMPLATE_ID -> LeaveDecoder.BLOCK_LENGTH;
            case ErrorDecoder.TEMPLATE_ID -> ErrorDecoder.BLOCK_LENGTH;
            default -> -1;
        };
    }

    private Rejection validateBody(DirectBuffer buffer, int offset, int length) {
        int templateId = Frame.templateId(buffer, offset);
        if (templateId == DataDecoder.TEMPLATE_ID) {
            return validateData(buffer, offset, length);
        }
        int end = offset + length;
        int position = offset + Frame.HEADER_LENGTH + Frame.blockLength(buffer, offset);
        position = switch (templateId) {
            case DeclarationDecoder.TEMPLATE_ID, ErrorDecoder.TEMPLATE_ID -> skipText(buffer, position, end);
            case JoinDecoder.TEMPLATE_ID -> skipText(buffer, skipText(buffer, position, end), end);
            case WelcomeDecoder.TEMPLATE_ID -> {
                int afterNodes = skipNodes(buffer, position, end);
                yield skipText(buffer, skipText(buffer, skipText(buffer, afterNodes, end), end), end);
            }
            default -> position;
        };
        return position == end ? null : Rejection.BAD_LENGTH;
    }

    private Rejection validateData(DirectBuffer buffer, int offset, int length) {
        data.wrap(buffer, offset + Frame.HEADER_LENGTH, DataDecoder.BLOCK_LENGTH, Frame.SCHEMA_VERSION);
        int elements = data.elements();
        int count = data.count();
        int rawLength = data.rawLength();
        int payloadLength = data.payloadLength();
        if ((data.slice() | data.sequence() | count | rawLength | payloadLength) < 0 || data.clock() < 0) {
            return Rejection.BAD_LENGTH;
        }
        if (length - Frame.DATA_LENGTH != payloadLength) {
            return Rejection.BAD_LENGTH;
        }
        BlockFormat format = BlockFormat.fromCode(data.format());
        if (format == null) {
            return Rejection.UNKNOWN_FORMAT;
        }
        ValueType values = ValueType.fromCode(data.valueType());
        if (values == null) {
            return Rejection.UNKNOWN_VALUE_TYPE;
        }
        if (!BlockCompressors.isKnown(data.compressor())) {
            return Rejection.UNKNOWN_COMPRESSOR;
        }
        boolean lengthsAgree = format.permits(elements, count)
                && rawLengthIsPossible(rawLength, format, values, elements, count)
                && (data.compressor() == NoCompressor.CODE ? payloadLength == rawLength : payloadLength < rawLength);
        return lengthsAgree ? null : Rejection.BAD_LENGTH;
    }

    /**
     * What the counts alone say of a block's length; the rest is for {@link BlockValidator} to say, who has the block.
     */
    private static boolean rawLengthIsPossible(
            int rawLength, BlockFormat format, ValueType values, int elements, int count) {
        int least = format.minLength(values, elements, count);
        int most = BlockFormat.maxLength(elements);
        boolean fixed = count == 0 || (format != BlockFormat.GAPS && !values.isPacked());
        return rawLength >= least && rawLength <= (fixed ? Math.min(least, most) : most);
    }

    /** Steps over a 16-bit length and as many bytes. Returns -1 if they pass the end, or if {@code position} is -1. */
    private static int skipText(DirectBuffer buffer, int position, int end) {
        if (position < 0 || end - position < LENGTH_BYTES) {
            return -1;
        }
        int next = position + LENGTH_BYTES + uint16(buffer, position);
        return next <= end ? next : -1;
    }

    /**
     * Steps over the group of nodes in a welcome: an id, an endpoint and a host each. Returns -1 if it passes the
     * end.
     */
    private static int skipNodes(DirectBuffer buffer, int start, int end) {
        if (end - start < WelcomeDecoder.NodesDecoder.HEADER_SIZE) {
            return -1;
        }
        int idLength = WelcomeDecoder.NodesDecoder.sbeBlockLength();
        if (uint16(buffer, start) != idLength) {
            return -1;
        }
        int nodes = uint16(buffer, start + LENGTH_BYTES);
        int position = start + WelcomeDecoder.NodesDecoder.HEADER_SIZE;
        for (int i = 0; i < nodes && position >= 0; i++) {
            position = skipText(buffer, skipText(buffer, position + idLength, end), end);
        }
        return position;
    }

    private static int uint16(DirectBuffer buffer, int index) {
        return buffer.getShort(index, LITTLE_ENDIAN) & 0xFFFF;
    }
}
