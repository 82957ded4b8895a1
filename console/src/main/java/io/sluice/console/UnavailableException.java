package io.sluice.console;

/**
 * A command cannot complete although its arguments are valid. This machine lacks something that it needs (memory,
 * fonts, a compiler, a data set that it cannot download), or a process or a measurement that it started has failed. The
 * message states what happened and, where there is one, the remedy.
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
