package io.sluice.codecs.spi;

/**
 * A kind of compressor that the terms of a cluster can name; each compressor that it makes is for one thread. It throws
 * {@link io.sluice.codecs.api.MissingLibraryException} if its library is missing.
 */
public interface BlockCompressorProvider extends NamedProvider<BlockCompressor> {}
