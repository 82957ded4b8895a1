package io.sluice.messaging;

import io.sluice.messaging.api.MessagingException;

/** A peer did not connect before the deadline; the message names it, its channel and the time waited. */
public final class ConnectTimeoutException extends MessagingException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message one sentence that names the peer.
     */
    public ConnectTimeoutException(String message) {
        super(message);
    }
}
