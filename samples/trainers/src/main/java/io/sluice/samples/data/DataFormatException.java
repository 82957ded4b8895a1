package io.sluice.samples.data;

/**
 * Thrown when the content of a data file is not in the expected format.
 *
 * <p>The message is for the user who chose the file: it names the file and the position, and states what was expected
 * there, so a program can print it without a stack trace. A file that cannot be read at all is reported by a {@link
 * java.io.IOException} instead.
 */
public final class DataFormatException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message names the wrong file, the position, and what was expected there
     */
    public DataFormatException(String message) {
        super(message);
    }

    /**
     * Creates the exception for a fault that a lower layer found.
     *
     * @param message names the faulty file, the position, and what was expected there
     * @param cause exception of the lower layer
     */
    public DataFormatException(String message, Throwable cause) {
        super(message, cause);
    }
}
