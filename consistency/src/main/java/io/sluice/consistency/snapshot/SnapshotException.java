package io.sluice.consistency.snapshot;

import io.sluice.messaging.api.MessagingException;

/**
 * A snapshot cannot be written or read, or does not fit the job. The message names the file and what is wrong with it.
 */
public final class SnapshotException extends MessagingException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message one sentence
     */
    public SnapshotException(String message) {
        super(message);
    }

    /**
     * Creates the exception.
     *
     * @param message one sentence
     * @param cause exception of the file system
     */
    public SnapshotException(String message, Throwable cause) {
        super(message, cause);
    }
}
