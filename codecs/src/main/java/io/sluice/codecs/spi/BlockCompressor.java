package io.sluice.codecs.spi;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Compresses the payload of single data frames. Each payload is self-contained, so any frame can be decoded, forwarded
 * or dropped without its neighbours.
 *
 * <p>All buffers are off-heap and backed by a direct byte buffer, as frames and the transport's logs are. An instance
 * is for one thread: it may hold working memory of its own. No call should allocate.
 */
public interface BlockCompressor {
    /** The code that frames carry for a user-provided compressor; the welcome names the compressor. */
    int USER_CODE = 16;

    /**
     * The code in a frame.
     *
     * @return {@link #USER_CODE}, except for Sluice's own compressors
     */
    default int code() {
        return USER_CODE;
    }

    /** The name used in configuration, in lower case. */
    String name();

    /**
     * The maximum length of the compressed form of {@code length} bytes.
     *
     * @param length length in bytes, 0 or more
     * @return length of the target that {@link #compress} needs, in bytes
     */
    int maxCompressedLength(int length);

    /**
     * Compresses a run of bytes.
     *
     * @param src buffer holding the bytes
     * @param srcOffset offset of its first byte
     * @param length length of the run, 0 or more
     * @param dst target to write to; must not overlap the source
     * @param dstOffset offset of its first byte to write
     * @param dstCapacity bytes that may be written from there
     * @return bytes written, or -1 if {@code dstCapacity} is below {@link #maxCompressedLength} of {@code length}
     */
    int compress(DirectBuffer src, int srcOffset, int length, MutableDirectBuffer dst, int dstOffset, int dstCapacity);

    /**
     * Decompresses a run of bytes to an exact length. On any input, it neither throws nor writes outside the
     * {@code expectedLength} bytes from {@code dstOffset}; after a failure those bytes are undefined.
     *
     * @param src buffer holding the compressed bytes
     * @param srcOffset offset of its first byte
     * @param length length of the run, 0 or more
     * @param dst target to write to; must not overlap the source
     * @param dstOffset offset of its first byte to write
     * @param expectedLength length to which the run must decompress, in bytes
     * @return {@code expectedLength}, or -1 if the bytes are malformed or have a different length
     */
    int decompress(
            DirectBuffer src, int srcOffset, int length, MutableDirectBuffer dst, int dstOffset, int expectedLength);
}
