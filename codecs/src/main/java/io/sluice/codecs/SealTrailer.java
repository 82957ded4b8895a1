package io.sluice.codecs;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The last {@value #LENGTH} bytes of a sealed frame, after the fields of its template: the number of the
 * frame within its lane, the number of the lane at the sender, the audience, and the authentication tag. A lane is the
 * sequence of sealed frames of one link or thread. {@code docs/protocol.md} has the layout.
 *
 * <p>The accessors check nothing but the buffer's own bounds. {@code end} is the index of the first byte after the
 * frame.
 */
public final class SealTrailer {
    /** Length of the trailer, in bytes. */
    public static final int LENGTH = 32;

    /** Length of the tag, the last bytes of the frame. */
    public static final int TAG_LENGTH = 16;

    /** The bytes {@code SEAL}. */
    public static final int MAGIC = 0x4C41_4553;

    /** The audience of a frame that any node may open. */
    public static final int EVERY_NODE = 0xFFFF;

    /**
     * The audience of a frame that only the node with a certain join nonce can open: for receivers that have no id yet,
     * or whose id another process may have had before.
     */
    public static final int ADDRESSEE = 0xFFFD;

    private static final int COUNTER = LENGTH;
    private static final int LANE = 24;
    private static final int AUDIENCE = 22;
    private static final int MAGIC_OFFSET = 20;

    private SealTrailer() {}

    /**
     * Whether a frame ends in a trailer, genuine or not.
     *
     * @param buffer buffer holding the frame
     * @param offset offset of its first byte
     * @param length length of the frame, which is within the buffer
     */
    public static boolean isPresent(DirectBuffer buffer, int offset, int length) {
        return length >= Frame.ENVELOPE_END + LENGTH
                && buffer.getInt(offset + length - MAGIC_OFFSET, LITTLE_ENDIAN) == MAGIC;
    }

    /** Reads the number of frames that the lane had sealed, including this one. */
    public static long counter(DirectBuffer buffer, int end) {
        return buffer.getLong(end - COUNTER, LITTLE_ENDIAN);
    }

    /** Reads the number of the lane. */
    public static int lane(DirectBuffer buffer, int end) {
        return buffer.getShort(end - LANE, LITTLE_ENDIAN) & 0xFFFF;
    }

    /** Reads the id of the node that the frame is for, or {@link #ADDRESSEE}, or {@link #EVERY_NODE}. */
    public static int audience(DirectBuffer buffer, int end) {
        return buffer.getShort(end - AUDIENCE, LITTLE_ENDIAN) & 0xFFFF;
    }

    /** Writes the trailer without the tag. */
    public static void write(MutableDirectBuffer buffer, int end, int lane, int audience, long counter) {
        buffer.putLong(end - COUNTER, counter, LITTLE_ENDIAN);
        buffer.putShort(end - LANE, (short) lane, LITTLE_ENDIAN);
        buffer.putShort(end - AUDIENCE, (short) audience, LITTLE_ENDIAN);
        buffer.putInt(end - MAGIC_OFFSET, MAGIC, LITTLE_ENDIAN);
    }
}
