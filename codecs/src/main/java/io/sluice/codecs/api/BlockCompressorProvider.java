package io.sluice.codecs.api;

/** A kind of compressor that the terms of a cluster can name. */
public interface BlockCompressorProvider extends NamedProvider {
    /**
     * Makes a compressor.
     *
     * @param spec specification that begins with this provider's word
     * @return a new compressor, for one thread
     * @throws IllegalArgumentException naming what is wrong; {@link PolicySpec} has the words for it
     * @throws MissingLibraryException if its library is missing
     */
    BlockCompressor create(PolicySpec spec);
}
