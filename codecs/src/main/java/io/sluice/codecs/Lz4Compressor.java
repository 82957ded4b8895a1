package io.sluice.codecs;

import io.sluice.codecs.spi.BlockCompressor;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * LZ4 block format (without an LZ4 frame), using the native library if the platform has one, otherwise Java code.
 *
 * <p>Decompression uses the safe decompressor, which never writes past the length it is given; the fast decompressor
 * does not check its input.
 */
public final class Lz4Compressor implements BlockCompressor {
    /** The code in a frame. */
    public static final int CODE = 1;

    /** The name in configuration. */
    public static final String NAME = "lz4";

    private final LZ4Compressor compressor = LZ4Factory.fastestInstance().fastCompressor();
    private final LZ4SafeDecompressor decompressor =
            LZ4Factory.fastestInstance().safeDecompressor();

    /** Loads the library, if there is one for this platform. */
    public Lz4Compressor() {
        ExtractedLibrary.LZ4.delete();
    }

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
        return compressor.maxCompressedLength(length);
    }

    @Override
    public int compress(
            DirectBuffer src, int srcOffset, int length, MutableDirectBuffer dst, int dstOffset, int dstCapacity) {
        int needed = maxCompressedLength(length);
        if (dstCapacity < needed) {
            return -1;
        }
        return compressor.compress(
                src.byteBuffer(),
                src.wrapAdjustment() + srcOffset,
                length,
                dst.byteBuffer(),
                dst.wrapAdjustment() + dstOffset,
                needed);
    }

    @Override
    public int decompress(
            DirectBuffer src, int srcOffset, int length, MutableDirectBuffer dst, int dstOffset, int expectedLength) {
        try {
            int written = decompressor.decompress(
                    src.byteBuffer(),
                    src.wrapAdjustment() + srcOffset,
                    length,
                    dst.byteBuffer(),
                    dst.wrapAdjustment() + dstOffset,
                    expectedLength);
            return written == expectedLength ? written : -1;
        } catch (LZ4Exception malformed) {
            return -1;
        }
    }
}
