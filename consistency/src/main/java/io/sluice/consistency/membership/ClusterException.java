package io.sluice.consistency.membership;

/**
 * The cluster failed this node, or this node failed the cluster. The message is one sentence that names what was
 * awaited or broken, by whom, and with which values; {@link #failure()} is the kind, for callers that branch on it.
 */
public final class ClusterException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Failure failure;

    /**
     * Creates the exception.
     *
     * @param failure kind
     * @param message one sentence
     */
    public ClusterException(Failure failure, String message) {
        super(message);
        this.failure = failure;
    }

    /**
     * Creates the exception.
     *
     * @param failure kind
     * @param message one sentence
     * @param cause   what went wrong below
     */
    public ClusterException(Failure failure, String message, Throwable cause) {
        super(message, cause);
        this.failure = failure;
    }

    /**
     * Kind of the failure.
     *
     * @return never {@code null}
     */
    public Failure failure() {
        return failure;
    }
}
