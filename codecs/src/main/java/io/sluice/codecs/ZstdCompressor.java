package io.sluice.codecs;

import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import io.sluice.codecs.api.MissingLibraryException;
import io.sluice.codecs.spi.BlockCompressor;
import java.lang.ref.Cleaner;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Zstandard at level 1, using the native library. It writes no magic number, content size, checksum or dictionary id,
 * because the data frame has all of these.
 *
 * <p>Decompression is a single pass into the given memory. It needs no window, so it allocates nothing, whatever window
 * or size the input announces, and never writes past the given memory. Without a magic number there are no skippable
 * frames, and none of the formats of old versions, whose decoders allocate.
 *
 * <p>An instance has two native contexts of some 800 KiB once both have been used. They are released when the instance
 * is no longer reachable.
 */
public final class ZstdCompressor implements BlockCompressor {
    /** The code in a frame. */
    public static final int CODE = 3;

    /** The name in configuration. */
    public static final String NAME = "zstd";

    private static final int LEVEL = 1;
    private static final int SMALL = 128 << 10;
    private static final Cleaner CLEANER = Cleaner.create();

    private final ZstdCompressCtx compressor;
    private final ZstdDecompressCtx decompressor;

    /**
     * Loads the library and makes the contexts.
     *
     * @throws MissingLibraryException if there is no native library for this platform
     */
    public ZstdCompressor() {
        try {
            compressor = new ZstdCompressCtx();
            decompressor = new ZstdDecompressCtx();
        } catch (LinkageError e) {
            throw Libraries.notNative(NAME, e);
        }
        CLEANER.register(this, new Contexts(compressor, decompressor));
        compressor.setLevel(LEVEL).setMagicless(true).setContentSize(false).setChecksum(false);
        compressor.setDictID(false);
        decompressor.setMagicless(true);
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
        // The library's bound; asking the library would cost a native call per frame.
        return length + (length >>> 8) + (length < SMALL ? (SMALL - length) >>> 11 : 0);
    }

    @Override
    public int compress(
            DirectBuffer src, int srcOffset, int length, MutableDirectBuffer dst, int dstOffset, int dstCapacity) {
        int needed = maxCompressedLength(length);
        if (dstCapacity < needed) {
            return -1;
        }
        return compressor.compressDirectByteBuffer(
                dst.byteBuffer(),
                dst.wrapAdjustment() + dstOffset,
                needed,
                src.byteBuffer(),
                src.wrapAdjustment() + srcOffset,
                length);
    }

    @Override
    public int decompress(
            DirectBuffer src, int srcOffset, int length, MutableDirectBuffer dst, int dstOffset, int expectedLength) {
        if (length == 0) {
            return -1;
        }
        try {
            int written = decompressor.decompressDirectByteBuffer(
                    dst.byteBuffer(),
                    dst.wrapAdjustment() + dstOffset,
                    expectedLength,
                    src.byteBuffer(),
                    src.wrapAdjustment() + srcOffset,
                    length);
            return written == expectedLength ? written : -1;
        } catch (ZstdException malformed) {
            return -1;
        }
    }

    /** The native contexts, released after the compressor; a reference to the compressor would keep it alive. */
    private record Contexts(ZstdCompressCtx compressor, ZstdDecompressCtx decompressor) implements Runnable {
        @Override
        public void run() {
            compressor.close();
            decompressor.close();
        }
    }
}
