package io.sluice.messaging;

import io.sluice.messaging.api.MessagingException;
import java.nio.file.Path;

/** No media driver runs in a directory; a command line can add the command that starts one there. */
public final class NoDriverException extends MessagingException {
    private static final long serialVersionUID = 1L;

    private final transient Path directory;

    NoDriverException(String message, Path directory, Throwable cause) {
        super(message, cause);
        this.directory = directory;
    }

    /** The directory in which a driver is expected. */
    public Path directory() {
        return directory;
    }
}
