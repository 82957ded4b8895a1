package io.sluice.perf.filter;

import io.sluice.codecs.BlockCompressors;
import io.sluice.codecs.spi.BlockCompressor;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** The JDK's zlib at its default level, with which the papers compare, directly from and to direct buffers. */
final class Zlib implements BlockCompressor {
    static final String NAME = "zlib";

    private final Deflater deflater = new Deflater();
    private final Inflater inflater = new Inflater();

    /** The library's compressor of a name, or this one. */
    static BlockCompressor orNamed(String name) {
        return name.equals(NAME) ? new Zlib() : BlockCompressors.named(name);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int maxCompressedLength(int length) {
        // zlib's compressBound, generously.
        return length + (length >> 9) + 64;
    }

    @Override
    public int compress(DirectBuffer src, int srcOffset, int length, MutableDirectBuffer dst, int dstOffset, int room) {
        deflater.reset();
        deflater.setInput(src.byteBuffer().slice(srcOffset, length));
        deflater.finish();
        int written = deflater.deflate(dst.byteBuffer().slice(dstOffset, room));
        return deflater.finished() ? written : -1;
    }

    @Override
    public int decompress(
            DirectBuffer src, int srcOffset, int length, MutableDirectBuffer dst, int dstOffset, int expectedLength) {
        inflater.reset();
        inflater.setInput(src.byteBuffer().slice(srcOffset, length));
        try {
            return inflater.inflate(dst.byteBuffer().slice(dstOffset, expectedLength)) == expectedLength
                    ? expectedLength
                    : -1;
        } catch (DataFormatException e) {
            return -1;
        }
    }
}
