package io.sluice.messaging.api;

/** A peer was not there before the deadline; the message names it, its channel and the time waited. */
public class ConnectTimeoutException extends MessagingException {
    private static final long serialVersionUID = 1L;

    /**
     * With a message that names the peer.
     *
     * @param message one sentence.
     */
    public ConnectTimeoutException(String message) {
        super(message);
    }
}
