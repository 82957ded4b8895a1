package io.sluice.codecs;

/** The compressors a frame can name. */
public final class BlockCompressors {
    private static final BlockCompressor NONE = new NoCompressor();

    private BlockCompressors() {}

    /**
     * Finds a compressor by its configured name.
     *
     * @param name {@code none}, {@code lz4} or {@code snappy}
     * @return the shared instance
     * @throws IllegalArgumentException if there is none of that name
     */
    public static BlockCompressor named(String name) {
        return switch (name) {
            case NoCompressor.NAME -> NONE;
            case Lz4Compressor.NAME -> Lz4.INSTANCE;
            case SnappyCompressor.NAME -> Snappy.INSTANCE;
            default -> throw new IllegalArgumentException("compressor must be none, lz4 or snappy: " + name);
        };
    }

    /**
     * Finds a compressor by the code in a frame.
     *
     * @param code from a frame
     * @return the shared instance, or {@code null} if there is none with that code
     */
    public static BlockCompressor withCode(int code) {
        return switch (code) {
            case NoCompressor.CODE -> NONE;
            case Lz4Compressor.CODE -> Lz4.INSTANCE;
            case SnappyCompressor.CODE -> Snappy.INSTANCE;
            default -> null;
        };
    }

    /** Whether {@link #withCode} knows a code; unlike it, loads no native library. */
    public static boolean isKnown(int code) {
        return code == NoCompressor.CODE || code == Lz4Compressor.CODE || code == SnappyCompressor.CODE;
    }

    /** Loads its native library only when first asked for. */
    private static final class Lz4 {
        static final BlockCompressor INSTANCE = new Lz4Compressor();
    }

    /** Loads its native library only when first asked for. */
    private static final class Snappy {
        static final BlockCompressor INSTANCE = new SnappyCompressor();
    }
}
