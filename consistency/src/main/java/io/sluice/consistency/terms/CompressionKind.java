package io.sluice.consistency.terms;

import io.sluice.codecs.AcceptedCompressors;
import io.sluice.codecs.BlockCompressor;
import io.sluice.codecs.BlockCompressors;
import io.sluice.codecs.PayloadCompressor;
import java.util.Arrays;
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

    /** For each class of frames the compressor that saves more time on the link than it costs, or none. */
    AUTO("lz4", "snappy", "zstd");

    private static final double BITS_PER_BYTE = 8;

    private final String[] compressors;

    CompressionKind(String... compressors) {
        this.compressors = compressors;
    }

    /**
     * The default: nothing between processes that share memory, else whatever pays.
     *
     * @param transport how peers reach one another
     * @return {@link #NONE} or {@link #AUTO}
     */
    public static CompressionKind byDefault(TransportKind transport) {
        return transport == TransportKind.IPC ? NONE : AUTO;
    }

    /**
     * Makes the sending side.
     *
     * @param linkRate of the link in bits per second; only {@link #AUTO} asks for it
     * @return a compressor for one thread
     * @throws io.sluice.codecs.MissingLibraryException if a native library is not there for this platform
     */
    public PayloadCompressor newSender(long linkRate) {
        if (this == NONE) {
            return PayloadCompressor.never();
        }
        BlockCompressor[] candidates =
                Arrays.stream(compressors).map(BlockCompressors::named).toArray(BlockCompressor[]::new);
        return this == AUTO
                ? PayloadCompressor.gated(linkRate / BITS_PER_BYTE, SystemNanoClock.INSTANCE, candidates)
                : PayloadCompressor.always(candidates[0], SystemNanoClock.INSTANCE);
    }

    /**
     * Makes the receiving side.
     *
     * @return the compressors that peers may use, for one thread
     * @throws io.sluice.codecs.MissingLibraryException if a native library is not there for this platform
     */
    public AcceptedCompressors newReceiver() {
        return AcceptedCompressors.named(compressors);
    }
}
