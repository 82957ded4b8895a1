package io.sluice.messaging.api;

/** Another process already receives on the endpoint; a caller that may choose can try the next port. */
public class EndpointInUseException extends MessagingException {
    private static final long serialVersionUID = 1L;

    /**
     * With a message that names the endpoint.
     *
     * @param message one sentence.
     * @param cause what the media driver said, or null where Sluice noticed by itself.
     */
    public EndpointInUseException(String message, Throwable cause) {
        super(message, cause);
    }
}
