package io.sluice.perf;

/**
 * This machine lacks something that the measurement needs: memory, fonts. The message states what is missing, and what
 * helps.
 */
public final class UnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message a sentence for the user
     */
    public UnavailableException(String message) {
        super(message);
    }
}
