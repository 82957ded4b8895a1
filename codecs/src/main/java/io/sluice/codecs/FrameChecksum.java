package io.sluice.codecs;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The checksum of a frame: CRC-32C (Castagnoli, as in RFC 3720) over all its bytes except the four that hold it, that
 * is over [0, 16) and [20, length).
 *
 * <p>It finds every burst of up to 32 damaged bits, and misses other damage with a probability of 2<sup>-32</sup>. It
 * does not authenticate.
 *
 * <p>One per thread. Threads share the byte buffer of a received frame, with its position and limit, so the checksum
 * runs over duplicates. It caches the last few duplicates: there are only as many byte buffers as logs. A buffer that
 * is written belongs to the caller and needs no duplicate. In the steady state it allocates nothing.
 */
public final class FrameChecksum {
    private static final int CACHE_SIZE = 32;

    private final CRC32C crc = new CRC32C();
    private final ByteBuffer[] originals = new ByteBuffer[CACHE_SIZE];
    private final ByteBuffer[] duplicates = new ByteBuffer[CACHE_SIZE];
    private int lastHit;
    private int nextVictim;

    /**
     * Computes the checksum of a frame, regardless of its checksum field.
     *
     * @param buffer buffer holding the frame, backed by a byte array or byte buffer
     * @param offset offset of its first byte
     * @param length length of the frame, at least {@link Frame#ENVELOPE_END}
     * @return the checksum
     * @throws IllegalArgumentException if the buffer wraps a bare address
     */
    public int compute(DirectBuffer buffer, int offset, int length) {
        buffer.boundsCheck(offset, length);
        byte[] array = buffer.byteArray();
        int start = buffer.wrapAdjustment() + offset;
        return array == null
                ? compute(duplicateOf(byteBufferOf(buffer)), start, length)
                : compute(array, start, length);
    }

    private int compute(byte[] array, int start, int length) {
        crc.reset();
        crc.update(array, start, Frame.CHECKSUM_OFFSET);
        crc.update(array, start + Frame.CHECKSUM_END, length - Frame.CHECKSUM_END);
        return (int) crc.getValue();
    }

    private int compute(ByteBuffer bytes, int start, int length) {
        crc.reset();
        update(bytes, start, start + Frame.CHECKSUM_OFFSET);
        update(bytes, start + Frame.CHECKSUM_END, start + length);
        return (int) crc.getValue();
    }

    /**
     * Stores the checksum of a frame in it. Called last, when every other byte is written.
     *
     * @param buffer buffer holding the frame; no other thread may use its byte buffer during the call, which restores
     *               its position and limit
     * @param offset offset of its first byte
     * @param length length of the frame, at least {@link Frame#ENVELOPE_END}
     */
    public void write(MutableDirectBuffer buffer, int offset, int length) {
        buffer.boundsCheck(offset, length);
        byte[] array = buffer.byteArray();
        int start = buffer.wrapAdjustment() + offset;
        int checksum =
                array == null ? computeInPlace(byteBufferOf(buffer), start, length) : compute(array, start, length);
        buffer.putInt(offset + Frame.CHECKSUM_OFFSET, checksum, LITTLE_ENDIAN);
    }

    private int computeInPlace(ByteBuffer bytes, int start, int length) {
        int position = bytes.position();
        int limit = bytes.limit();
        int checksum = compute(bytes, start, length);
        bytes.limit(limit).position(position);
        return checksum;
    }

    /**
     * Whether the checksum in a frame matches its bytes.
     *
     * @param buffer buffer holding the frame
     * @param offset offset of its first byte
     * @param length length of the frame, at least {@link Frame#ENVELOPE_END}
     */
    public boolean verify(DirectBuffer buffer, int offset, int length) {
        return Frame.checksum(buffer, offset) == compute(buffer, offset, length);
    }

    private void update(ByteBuffer bytes, int from, int to) {
        bytes.limit(to).position(from);
        crc.update(bytes);
    }

    private static ByteBuffer byteBufferOf(DirectBuffer buffer) {
        ByteBuffer bytes = buffer.byteBuffer();
        if (bytes == null) {
            throw new IllegalArgumentException("the frame's buffer is not backed by a byte array or byte buffer");
        }
        return bytes;
    }

    private ByteBuffer duplicateOf(ByteBuffer original) {
        if (originals[lastHit] == original) {
            return duplicates[lastHit];
        }
        for (int i = 0; i < CACHE_SIZE; i++) {
            if (originals[i] == original) {
                lastHit = i;
                return duplicates[i];
            }
        }
        return remember(original);
    }

    private ByteBuffer remember(ByteBuffer original) {
        int victim = nextVictim;
        originals[victim] = original;
        duplicates[victim] = original.duplicate();
        lastHit = victim;
        nextVictim = (victim + 1) % CACHE_SIZE;
        return duplicates[victim];
    }
}
