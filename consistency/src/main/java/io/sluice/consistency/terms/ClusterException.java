package io.sluice.consistency.terms;

import io.sluice.messaging.api.MessagingException;

/**
 * Thrown when the cluster fails, at this node or at another. The message is one sentence that names what was
 * expected or broken, the node, and the values; {@link #failure()} is the kind, for callers that branch on it. It ends
 * the job for this node, with one exception: after a {@link io.sluice.consistency.worker.Table} has refused an update
 * that is not finite, the trainer may continue.
 */
public final class ClusterException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Failure failure;

    /**
     * Creates the exception.
     *
     * @param failure kind of the failure
     * @param message one sentence
     */
    public ClusterException(Failure failure, String message) {
        super(message);
        this.failure = failure;
    }

    /**
     * Creates the exception.
     *
     * @param failure kind of the failure
     * @param message one sentence
     * @param cause   the exception that caused the failure
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

    /**
     * Throws if the thread is interrupted, to end its wait. The thread remains interrupted.
     *
     * @param doing what the thread was doing, for the message, such as "opening a link"
     * @throws ClusterException with {@link Failure#CLOSED} if the thread is interrupted
     */
    public static void checkInterrupt(String doing) {
        if (Thread.currentThread().isInterrupted()) {
            throw new ClusterException(Failure.CLOSED, "interrupted while " + doing);
        }
    }

    /**
     * Describes an error that does not end the job.
     *
     * @param error error as an error handler receives it
     * @return its message if that is written for users; otherwise with its class
     */
    public static String sentence(Throwable error) {
        boolean isForUsers = error instanceof MessagingException || error instanceof ClusterException;
        return isForUsers ? error.getMessage() : String.valueOf(error);
    }
}
