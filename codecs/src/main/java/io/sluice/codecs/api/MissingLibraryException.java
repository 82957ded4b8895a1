package io.sluice.codecs.api;

/** A compressor's native library is not there for this platform, or cannot be unpacked or loaded. */
public final class MissingLibraryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Names compressor and platform.
     *
     * @param compressor its name
     * @param cause of the loader
     */
    public MissingLibraryException(String compressor, Throwable cause) {
        super(
                "compressor " + compressor + " has no native library that can be loaded for "
                        + System.getProperty("os.name") + " on " + System.getProperty("os.arch") + ": " + cause,
                cause);
    }
}
