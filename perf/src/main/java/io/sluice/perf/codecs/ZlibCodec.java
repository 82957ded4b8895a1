package io.sluice.perf.codecs;

import io.sluice.codecs.FrameBuffer;
import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** The JDK's zlib at its default level, straight from and to direct buffers. */
final class ZlibCodec implements ByteCodec {
    private final Deflater deflater = new Deflater();
    private final Inflater inflater = new Inflater();

    @Override
    public int maxLength(int length) {
        // zlib's compressBound, generously.
        return length + (length >> 9) + 64;
    }

    @Override
    public int compress(FrameBuffer from, int length, FrameBuffer to) {
        deflater.reset();
        deflater.setInput(slice(from, 0, length));
        deflater.finish();
        int written = deflater.deflate(slice(to, 0, to.capacity()));
        if (!deflater.finished()) {
            throw new IllegalStateException("zlib needs more than " + to.capacity() + " bytes for " + length);
        }
        return written;
    }

    @Override
    public void decompress(FrameBuffer from, int offset, int length, FrameBuffer to, int expectedLength) {
        inflater.reset();
        inflater.setInput(slice(from, offset, length));
        try {
            int got = inflater.inflate(slice(to, 0, expectedLength));
            if (got != expectedLength) {
                throw new IllegalStateException("zlib returned " + got + " bytes instead of " + expectedLength);
            }
        } catch (DataFormatException e) {
            throw new IllegalStateException("zlib refuses its own output", e);
        }
    }

    private static ByteBuffer slice(FrameBuffer buffer, int offset, int length) {
        ByteBuffer bytes = buffer.buffer().byteBuffer();
        return bytes.slice(offset, length);
    }
}
