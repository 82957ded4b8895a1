package io.sluice.codecs;

import io.sluice.codecs.api.MissingLibraryException;

/** The compressors that a frame can name. */
public final class BlockCompressors {
    /** Number of compressor codes, which start at 0. */
    static final int CODES = 4;

    private BlockCompressors() {}

    /**
     * Makes the compressor of a configured name, loading its native library if this is the first.
     *
     * @param name {@code none}, {@code lz4}, {@code snappy} or {@code zstd}
     * @return a compressor for one thread
     * @throws IllegalArgumentException if no compressor has that name
     * @throws MissingLibraryException if its library is missing
     */
    public static BlockCompressor named(String name) {
        return switch (name) {
            case NoCompressor.NAME -> new NoCompressor();
            case Lz4Compressor.NAME -> new Lz4Compressor();
            case SnappyCompressor.NAME -> new SnappyCompressor();
            case ZstdCompressor.NAME -> zstd();
            default ->
                throw new IllegalArgumentException(
                        "compressor is '" + name + "', expected one of none, lz4, snappy, zstd");
        };
    }

    /** Zstandard is an optional dependency: without it {@link ZstdCompressor} cannot be linked. */
    private static BlockCompressor zstd() {
        Libraries.require(
                "compressor " + ZstdCompressor.NAME, "com.github.luben:zstd-jni", "com.github.luben.zstd.Zstd");
        return new ZstdCompressor();
    }

    /** Whether there is a compressor with a code; loads no native library. */
    public static boolean isKnown(int code) {
        return code >= 0 && code < CODES;
    }
}
