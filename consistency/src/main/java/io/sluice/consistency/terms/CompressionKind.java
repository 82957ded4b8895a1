package io.sluice.consistency.terms;

/** How the blocks of data frames are compressed. */
public enum CompressionKind implements Choice {
    /** No compression. */
    NONE,

    /** LZ4 for every frame that gets shorter. */
    LZ4,

    /** Snappy for every frame that gets shorter. */
    SNAPPY,

    /** Zstandard for every frame that gets shorter. */
    ZSTD,

    /** Zstandard on slow links, unless exponents are packed; otherwise no compression. */
    AUTO;

    /**
     * The default for a transport.
     *
     * @param transport how peers reach one another
     * @return {@link #NONE} or {@link #AUTO}
     */
    public static CompressionKind byDefault(TransportKind transport) {
        return transport == TransportKind.IPC ? NONE : AUTO;
    }
}
