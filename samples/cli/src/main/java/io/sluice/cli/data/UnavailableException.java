package io.sluice.cli.data;

/** A data set cannot be obtained here and now. The message states what this machine lacks. */
public final class UnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message what is missing, and what helps
     */
    public UnavailableException(String message) {
        super(message);
    }
}
