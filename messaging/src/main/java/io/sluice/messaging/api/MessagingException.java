package io.sluice.messaging.api;

/**
 * A mistake in the settings, or something the surroundings do not allow: no media driver, no space, a port in use.
 *
 * <p>The message is one sentence that names the thing, the value it had and what was expected; it can be shown to a
 * user as it is. Subclasses exist only where a caller acts differently.
 */
public class MessagingException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * With a message for the user and no cause.
     *
     * @param message one sentence.
     */
    public MessagingException(String message) {
        super(message);
    }

    /**
     * With a message for the user and the cause.
     *
     * @param message one sentence.
     * @param cause what was caught.
     */
    public MessagingException(String message, Throwable cause) {
        super(message, cause);
    }
}
