package io.sluice.cli.launch;

/** A child process has ended before its work was complete. */
public final class ChildFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;
    private final Kind kind;

    /** The likely result of another attempt with the same command. */
    public enum Kind {
        /** A signal ended the child. */
        KILLED,

        /** The child failed together with its cluster, or because of a condition of this host that may have ended. */
        TRANSIENT,

        /** The child would fail again: it was refused, its snapshots are damaged, or it has detected a bug. */
        LASTING
    }

    /**
     * Creates the exception.
     *
     * @param message sentence that names the child and quotes its last output
     * @param exitCode exit code that this process should end with
     * @param kind likely result of another attempt
     */
    public ChildFailedException(String message, int exitCode, Kind kind) {
        super(message);
        this.exitCode = exitCode;
        this.kind = kind;
    }

    /** The likely result of another attempt. */
    public Kind kind() {
        return kind;
    }

    /** The exit code for this process. */
    public int exitCode() {
        return exitCode;
    }
}
