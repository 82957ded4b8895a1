package io.sluice.codecs;

import io.sluice.codecs.api.BlockCompressor;
import io.sluice.codecs.api.BlockCompressorProvider;
import io.sluice.codecs.api.MissingLibraryException;
import io.sluice.codecs.api.PolicySpec;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.Supplier;

/** Compressors by name: those of Sluice and those that users provide. A frame names one by its code. */
public final class BlockCompressors {
    /** Name of the compressor that does nothing. */
    public static final String NONE = NoCompressor.NAME;

    /** Name of Zstandard. */
    public static final String ZSTD = ZstdCompressor.NAME;

    /** Number of codes, from 0. */
    static final int CODES = BlockCompressor.USER_CODE + 1;

    /** Number of codes of Sluice's own compressors, from 0. */
    private static final int OWN = Standard.values().length;

    private static final String KIND = "compressor";

    private static final Providers<BlockCompressorProvider> PROVIDERS = new Providers<>(
            KIND,
            "auto or one of",
            List.of(Standard.values()),
            () -> ServiceLoader.load(BlockCompressorProvider.class));

    private BlockCompressors() {}

    /**
     * Makes the compressor of a configured name, loading its native library if this is the first.
     *
     * @param name {@code none}, {@code lz4}, {@code snappy}, {@code zstd}, or that of a provider on the class path
     * @return a compressor for one thread
     * @throws IllegalArgumentException if no compressor has that name
     * @throws MissingLibraryException if its library is missing
     */
    public static BlockCompressor named(String name) {
        BlockCompressorProvider provider = PROVIDERS.named(name, PolicySpec.word(name));
        BlockCompressor compressor = provider.create(new PolicySpec(KIND, name, provider.form()));
        if (!(provider instanceof Standard) && BlockCompressor.USER_CODE != compressor.code()) {
            throw new IllegalArgumentException("compressor '" + name + "' of " + provider.getClass() + " has code "
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
        if (PROVIDERS.named(name, PolicySpec.word(name)) instanceof Standard own) {
            own.check(new PolicySpec(KIND, name, own.form()));
        } else {
            named(name);
        }
    }

    /** Whether there may be a compressor with a code; loads no native library. */
    public static boolean isKnown(int code) {
        return code >= 0 && code < OWN || BlockCompressor.USER_CODE == code;
    }

    /** Sluice's own; the code of each is its ordinal. */
    private enum Standard implements BlockCompressorProvider {
        NONE(NoCompressor.NAME, NoCompressor::new),
        LZ4(Lz4Compressor.NAME, Lz4Compressor::new),
        SNAPPY(SnappyCompressor.NAME, SnappyCompressor::new),
        ZSTD(ZstdCompressor.NAME, Standard::zstd);

        private final String word;
        private final Supplier<BlockCompressor> maker;

        Standard(String word, Supplier<BlockCompressor> maker) {
            this.word = word;
            this.maker = maker;
        }

        /** Zstandard is an optional dependency: without it {@link ZstdCompressor} cannot be linked. */
        private static BlockCompressor zstd() {
            Libraries.require(
                    "compressor " + ZstdCompressor.NAME, "com.github.luben:zstd-jni", "com.github.luben.zstd.Zstd");
            return new ZstdCompressor();
        }

        @Override
        public String configName() {
            return word;
        }

        @Override
        public String form() {
            return word;
        }

        private void check(PolicySpec spec) {
            spec.requireArguments(0).allowOptions();
        }

        @Override
        public BlockCompressor create(PolicySpec spec) {
            check(spec);
            return maker.get();
        }
    }
}
