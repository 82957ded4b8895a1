package io.sluice.console;

/**
 * This machine lacks something that a command needs: memory, fonts, a compiler, a data set that it cannot download. The
 * message states what is missing, and the remedy.
 */
public final class UnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message a sentence for the user
     */
    public UnavailableException(String message) {
        super(message);
    }
}
