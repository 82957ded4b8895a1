package io.sluice.cli.launch;

/** A child process has ended before its time. */
public final class ChildFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;
    private final Kind kind;

    /** The likely result of another attempt with the same command. */
    public enum Kind {
        /** A signal ended the child. */
        KILLED,

        /** The child failed together with its cluster, or by something on this host that may be over. */
        TRANSIENT,

        /** The child would fail again: it was refused, its snapshots are damaged, it found a fault in itself. */
        LASTING
    }

    /**
     * Creates the exception.
     *
     * @param message which child, and the last it said
     * @param exitCode with which this process should end
     * @param kind what another attempt would lead to
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
