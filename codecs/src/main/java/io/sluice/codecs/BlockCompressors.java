package io.sluice.codecs;

import static io.sluice.codecs.Providers.own;

import io.sluice.codecs.api.MissingLibraryException;
import io.sluice.codecs.spi.BlockCompressor;
import io.sluice.codecs.spi.BlockCompressorProvider;
import io.sluice.codecs.spi.NamedProvider;
import java.util.List;
import java.util.ServiceLoader;

/** Compressors by name: those of Sluice and those that users provide. A frame names one by its code. */
public final class BlockCompressors {
    /** Name of the compressor that does nothing. */
    public static final String NONE = NoCompressor.NAME;

    /** Name of Zstandard. */
    public static final String ZSTD = ZstdCompressor.NAME;

    /** Number of codes, from 0. */
    static final int CODES = BlockCompressor.USER_CODE + 1;

    /** The providers of Sluice's own compressors; the code of each is its index. */
    private static final List<NamedProvider<BlockCompressor>> OWN = List.of(
            own(NoCompressor.NAME, NoCompressor::new),
            own(Lz4Compressor.NAME, Lz4Compressor::new),
            own(SnappyCompressor.NAME, SnappyCompressor::new),
            own(ZstdCompressor.NAME, BlockCompressors::zstd));

    private static final Providers<BlockCompressor> PROVIDERS = new Providers<>(
            "compressor", "auto or one of", OWN, () -> ServiceLoader.load(BlockCompressorProvider.class));

    private BlockCompressors() {}

    /**
     * Creates the compressor of a configured name, loading its native library if this is the first.
     *
     * @param name {@code none}, {@code lz4}, {@code snappy}, {@code zstd}, or the name of a provider on the class path
     * @return a compressor for one thread
     * @throws IllegalArgumentException if no compressor has that name
     * @throws MissingLibraryException if its library is missing
     */
    public static BlockCompressor named(String name) {
        BlockCompressor compressor = PROVIDERS.create(name);
        if (!isOwn(name) && BlockCompressor.USER_CODE != compressor.code()) {
            throw new IllegalArgumentException("compressor '" + name + "' of " + compressor.getClass() + " has code "
                    + compressor.code() + ", expected " + BlockCompressor.USER_CODE);
        }
        return compressor;
    }

    /**
     * Refuses a name that no compressor has; loads no native library of Sluice's own compressors.
     *
     * @param name any text
     * @throws IllegalArgumentException if there is no such compressor, or an argument is wrong
     */
    public static void requireKnown(String name) {
        if (isOwn(name)) {
            PROVIDERS.named(name, name); // refuses a name that a user's provider also has
        } else {
            named(name);
        }
    }

    /** Whether there may be a compressor with a code; loads no native library. */
    public static boolean isKnown(int code) {
        return code >= 0 && code < OWN.size() || BlockCompressor.USER_CODE == code;
    }

    private static boolean isOwn(String name) {
        return OWN.stream().anyMatch(own -> own.configName().equals(name));
    }

    /** Zstandard is an optional dependency: without it {@link ZstdCompressor} cannot be linked. */
    private static BlockCompressor zstd() {
        Libraries.require(
                "compressor " + ZstdCompressor.NAME, "com.github.luben:zstd-jni", "com.github.luben.zstd.Zstd");
        return new ZstdCompressor();
    }
}
