package io.sluice.tree.topology;

import java.io.IOException;

/** A topology file is not well-formed. The message names the file, the fault and what was expected. */
final class TopologyFormatException extends IOException {
    private static final long serialVersionUID = 1L;

    TopologyFormatException(String message, Throwable cause) {
        super(message, cause);
    }
}
