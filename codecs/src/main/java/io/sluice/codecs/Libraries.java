package io.sluice.codecs;

import io.sluice.codecs.api.MissingLibraryException;

/** Throws exceptions for missing libraries, whose messages state what to do. */
public final class Libraries {
    private Libraries() {}

    /**
     * Checks that an optional dependency is present; initialises none of its classes.
     *
     * @param user name of the part that needs the library: the subject of the message
     * @param artifact the coordinates of the library, {@code group:artifact}
     * @param type the full name of a class of the library
     * @throws MissingLibraryException naming the artifact, if the class is not on the class path
     */
    public static void require(String user, String artifact, String type) {
        try {
            Class.forName(type, false, Libraries.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new MissingLibraryException(
                    user + " needs " + artifact + ", which is not on the class path: add it to the dependencies", e);
        }
    }

    /** Creates the exception for a compressor whose native library cannot be loaded on this platform. */
    static MissingLibraryException notNative(String compressor, Throwable cause) {
        return new MissingLibraryException(
                "compressor " + compressor + " has no native library that can be loaded for "
                        + System.getProperty("os.name") + " on " + System.getProperty("os.arch") + ": " + cause,
                cause);
    }
}
