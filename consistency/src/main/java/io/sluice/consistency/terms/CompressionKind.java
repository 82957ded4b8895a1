package io.sluice.consistency.terms;

import io.sluice.codecs.AcceptedCompressors;
import io.sluice.codecs.BlockCompressors;
import io.sluice.codecs.PayloadCompressor;
import io.sluice.codecs.ValueType;
import org.agrona.concurrent.SystemNanoClock;

/** How the blocks of data frames are compressed. */
public enum CompressionKind implements Choice {
    /** No compression. */
    NONE,

    /** By LZ4, every frame that gets shorter. */
    LZ4("lz4"),

    /** By Snappy, every frame that gets shorter. */
    SNAPPY("snappy"),

    /** By Zstandard, every frame that gets shorter. */
    ZSTD("zstd"),

    /** By Zstandard on slow links, unless exponents are packed; otherwise not at all. */
    AUTO;

    /** Above this rate Zstandard takes longer than it saves. */
    private static final long SLOW_LINK = 100_000_000;

    /** Shorter blocks, in bytes, do not repay the call. */
    private static final int WORTHWHILE = 1_024;

    private final String[] compressors;

    CompressionKind(String... compressors) {
        this.compressors = compressors;
    }

    /**
     * The default.
     *
     * @param transport how peers reach one another
     * @return {@link #NONE} or {@link #AUTO}
     */
    public static CompressionKind byDefault(TransportKind transport) {
        return transport == TransportKind.IPC ? NONE : AUTO;
    }

    private CompressionKind resolve(long linkRate, ValueType values) {
        return linkRate <= SLOW_LINK && !values.isPacked() && ValueType.LOG8 != values ? ZSTD : NONE;
    }

    /**
     * Makes the sending side.
     *
     * @param linkRate in bits per second; only {@link #AUTO} uses it and the next one
     * @param values type of the values
     * @return a compressor for one thread
     * @throws io.sluice.codecs.MissingLibraryException if there is no native library for this platform
     */
    public PayloadCompressor newSender(long linkRate, ValueType values) {
        return switch (this) {
            case NONE -> PayloadCompressor.never();
            case AUTO ->
                PayloadCompressor.from(
                        BlockCompressors.named(resolve(linkRate, values).configName()),
                        WORTHWHILE,
                        SystemNanoClock.INSTANCE);
            default -> PayloadCompressor.always(BlockCompressors.named(compressors[0]), SystemNanoClock.INSTANCE);
        };
    }

    /**
     * Makes the receiving side.
     *
     * @param linkRate in bits per second; only {@link #AUTO} uses it and the next one
     * @param values type of the values
     * @return the compressors that peers may use, for one thread
     * @throws io.sluice.codecs.MissingLibraryException if there is no native library for this platform
     */
    public AcceptedCompressors newReceiver(long linkRate, ValueType values) {
        return AcceptedCompressors.named(this == AUTO ? resolve(linkRate, values).compressors : compressors);
    }
}
