package io.sluice.codecs;

import io.sluice.codecs.api.MissingLibraryException;
import io.sluice.codecs.spi.BlockCompressor;

/**
 * The compressors whose payloads a receiver opens. Each is created, and its native library loaded, in advance, so no
 * frame can make the process load another library.
 *
 * <p>Uncompressed payloads are accepted by every receiver. Immutable, but for one thread only, since its compressors
 * are.
 */
public final class AcceptedCompressors {
    private final BlockCompressor[] byCode = new BlockCompressor[BlockCompressors.CODES];

    private AcceptedCompressors(String... names) {
        for (String name : names) {
            BlockCompressor compressor = BlockCompressors.named(name);
            byCode[compressor.code()] = compressor;
        }
    }

    /**
     * Accepts the named compressors and {@code none}.
     *
     * @param names names that {@link BlockCompressors#named} accepts
     * @return the set, for one thread
     * @throws IllegalArgumentException if no compressor has one of the names
     * @throws MissingLibraryException if the library of a named compressor is missing
     */
    public static AcceptedCompressors named(String... names) {
        return new AcceptedCompressors(names);
    }

    /**
     * The compressor with a code.
     *
     * @param code code from a frame, anything
     * @return the compressor, or {@code null} if it is not accepted
     */
    BlockCompressor withCode(int code) {
        return code >= 0 && code < byCode.length ? byCode[code] : null;
    }
}
