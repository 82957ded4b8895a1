package io.sluice.perf.codecs;

import io.sluice.codecs.BlockCompressors;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.api.BlockCompressor;

/** A general compressor over whole buffers: one of the library's, or zlib, with which the papers compare. */
public interface ByteCodec {
    /** Name of the compressor that the library lacks. */
    String ZLIB = "zlib";

    /**
     * Finds a compressor.
     *
     * @param name name of one of the library's, or {@link #ZLIB}
     * @return the compressor
     * @throws IllegalArgumentException if no compressor has that name
     */
    static ByteCodec named(String name) {
        return name.equals(ZLIB) ? new ZlibCodec() : new Library(BlockCompressors.named(name));
    }

    /** The maximum length of a number of bytes once compressed. */
    int maxLength(int length);

    /**
     * Compresses.
     *
     * @param from buffer that begins with the bytes
     * @param length number of bytes
     * @param to buffer with room for {@link #maxLength} of them
     * @return bytes written
     */
    int compress(FrameBuffer from, int length, FrameBuffer to);

    /**
     * Decompresses.
     *
     * @param from buffer that holds the output of {@link #compress}
     * @param offset offset of its first byte
     * @param length length in bytes
     * @param to buffer with room for the result
     * @param expectedLength length of the result
     */
    void decompress(FrameBuffer from, int offset, int length, FrameBuffer to, int expectedLength);

    /** A compressor of the library. */
    record Library(BlockCompressor compressor) implements ByteCodec {
        @Override
        public int maxLength(int length) {
            return compressor.maxCompressedLength(length);
        }

        @Override
        public int compress(FrameBuffer from, int length, FrameBuffer to) {
            return compressor.compress(from.buffer(), 0, length, to.buffer(), 0, to.capacity());
        }

        @Override
        public void decompress(FrameBuffer from, int offset, int length, FrameBuffer to, int expectedLength) {
            int got = compressor.decompress(from.buffer(), offset, length, to.buffer(), 0, expectedLength);
            if (got != expectedLength) {
                throw new IllegalStateException(
                        compressor.name() + " gave back " + got + " bytes instead of " + expectedLength);
            }
        }
    }
}
