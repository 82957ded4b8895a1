package io.sluice.messaging;

import io.sluice.messaging.api.MessagingException;

/**
 * The link will never accept another frame: it was closed, its client lost the media driver, or its stream has reached
 * the last position Aeron can count. A new link has to be opened.
 */
public class LinkClosedException extends MessagingException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message one sentence that names the link.
     */
    public LinkClosedException(String message) {
        super(message);
    }
}
