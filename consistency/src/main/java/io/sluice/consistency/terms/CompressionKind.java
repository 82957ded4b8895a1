package io.sluice.consistency.terms;

/** How the blocks of data frames are compressed. */
public enum CompressionKind implements Choice {
    /** No compression. */
    NONE,

    /** By LZ4, every frame that gets shorter. */
    LZ4,

    /** By Snappy, every frame that gets shorter. */
    SNAPPY,

    /** By Zstandard, every frame that gets shorter. */
    ZSTD,

    /** By Zstandard on slow links, unless exponents are packed; otherwise not at all. */
    AUTO;

    /**
     * The default.
     *
     * @param transport how peers reach one another
     * @return {@link #NONE} or {@link #AUTO}
     */
    public static CompressionKind byDefault(TransportKind transport) {
        return transport == TransportKind.IPC ? NONE : AUTO;
    }
}
