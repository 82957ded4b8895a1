package io.sluice.samples.launch;

/** A child process has ended before its time. */
public final class ChildFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    /**
     * Creates the exception.
     *
     * @param message which child, and the last it said
     * @param exitCode with which this process should end
     */
    public ChildFailedException(String message, int exitCode) {
        super(message);
        this.exitCode = exitCode;
    }

    /** The exit code for this process. */
    public int exitCode() {
        return exitCode;
    }
}
