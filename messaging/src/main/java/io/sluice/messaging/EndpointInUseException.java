package io.sluice.messaging;

import io.sluice.messaging.api.MessagingException;

/** Another process already receives on the endpoint; a caller that may choose can try the next port. */
public final class EndpointInUseException extends MessagingException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message one sentence that names the endpoint.
     * @param cause error of the media driver, or null if Sluice found the conflict.
     */
    public EndpointInUseException(String message, Throwable cause) {
        super(message, cause);
    }
}
