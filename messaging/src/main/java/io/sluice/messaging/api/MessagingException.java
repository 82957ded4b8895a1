package io.sluice.messaging.api;

/**
 * A wrong setting, or a fault of the environment: no media driver, no space, a port in use.
 *
 * <p>The message is one sentence that names the subject, its value and what was expected; it can be shown to a
 * user as it is. There are subclasses only where callers act differently on them.
 */
public class MessagingException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception without a cause.
     *
     * @param message one sentence for the user.
     */
    public MessagingException(String message) {
        super(message);
    }

    /**
     * Creates the exception with a cause.
     *
     * @param message one sentence for the user.
     * @param cause exception that was caught.
     */
    public MessagingException(String message, Throwable cause) {
        super(message, cause);
    }
}
