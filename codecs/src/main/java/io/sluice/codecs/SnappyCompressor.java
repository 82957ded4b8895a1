package io.sluice.codecs;

import io.sluice.codecs.api.MissingLibraryException;
import io.sluice.codecs.spi.BlockCompressor;
import java.io.IOException;
import java.lang.ref.Reference;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.xerial.snappy.Snappy;
import org.xerial.snappy.SnappyError;

/**
 * Snappy's raw format, the compressor of the Parameter Flow paper, using the native library.
 *
 * <p>Snappy writes as many bytes as its input announces, so that number is compared with the frame's before anything is
 * written.
 */
public final class SnappyCompressor implements BlockCompressor {
    /** The code in a frame. */
    public static final int CODE = 2;

    /** The name in configuration. */
    public static final String NAME = "snappy";

    /**
     * Loads the library.
     *
     * @throws MissingLibraryException if there is no native library for this platform
     */
    public SnappyCompressor() {
        try {
            Snappy.maxCompressedLength(1);
        } catch (LinkageError | SnappyError e) {
            throw Libraries.notNative(NAME, e);
        }
        ExtractedLibrary.SNAPPY.delete();
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
        // Snappy's bound; asking the library would cost a native call per frame.
        return 32 + length + length / 6;
    }

    @Override
    public int compress(
            DirectBuffer src, int srcOffset, int length, MutableDirectBuffer dst, int dstOffset, int dstCapacity) {
        if (dstCapacity < maxCompressedLength(length)) {
            return -1;
        }
        try {
            return (int) Snappy.rawCompress(OffHeap.address(src, srcOffset), length, OffHeap.address(dst, dstOffset));
        } catch (IOException impossible) {
            throw new IllegalStateException("snappy could not compress " + length + " bytes", impossible);
        } finally {
            keepAlive(src, dst);
        }
    }

    @Override
    public int decompress(
            DirectBuffer src, int srcOffset, int length, MutableDirectBuffer dst, int dstOffset, int expectedLength) {
        long source = OffHeap.address(src, srcOffset);
        try {
            if (length == 0 || Snappy.uncompressedLength(source, length) != expectedLength) {
                return -1;
            }
            long written = Snappy.rawUncompress(source, length, OffHeap.address(dst, dstOffset));
            return written == expectedLength ? expectedLength : -1;
        } catch (IOException malformed) {
            return -1;
        } finally {
            keepAlive(src, dst);
        }
    }

    /** Keeps the memory reachable until the library returns, because the library receives only addresses. */
    private static void keepAlive(DirectBuffer src, DirectBuffer dst) {
        Reference.reachabilityFence(src);
        Reference.reachabilityFence(dst);
    }
}
