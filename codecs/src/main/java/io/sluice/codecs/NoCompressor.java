package io.sluice.codecs;

import io.sluice.codecs.spi.BlockCompressor;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** Sends payloads as they are. */
public final class NoCompressor implements BlockCompressor {
    /** The code in a frame. */
    public static final int CODE = 0;

    /** The name in configuration. */
    public static final String NAME = "none";

    @Override
    public int code() {
        return CODE;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int maxCompressedLength(int length) {
        return length;
    }

    @Override
    public int compress(
            DirectBuffer src, int srcOffset, int length, MutableDirectBuffer dst, int dstOffset, int dstCapacity) {
        if (dstCapacity < length) {
            return -1;
        }
        dst.putBytes(dstOffset, src, srcOffset, length);
        return length;
    }

    @Override
    public int decompress(
            DirectBuffer src, int srcOffset, int length, MutableDirectBuffer dst, int dstOffset, int expectedLength) {
        if (length != expectedLength) {
            return -1;
        }
        dst.putBytes(dstOffset, src, srcOffset, length);
        return length;
    }
}
