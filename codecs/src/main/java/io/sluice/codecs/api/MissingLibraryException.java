package io.sluice.codecs.api;

/**
 * A library is missing: an optional dependency is not on the class path, or the native library of a compressor does not
 * exist for this platform, cannot be extracted or cannot be loaded.
 */
public final class MissingLibraryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message names the library, and the part that needs it
     * @param cause cause of the class loader or the library's own loader
     */
    public MissingLibraryException(String message, Throwable cause) {
        super(message, cause);
    }
}
