package io.sluice.consistency.membership;

/** What a message about a change of the crew says. The ordinal travels. */
enum ChangeStage {
    /** A worker asks to take part, or to go; a server asks to go. */
    ASKED,
    /** The coordinator asks all nodes from which clock on it could be so. */
    POLLED,
    /** A node answers with the first clock that it has not begun, and waits there. */
    ANSWERED,
    /** The coordinator says from which clock on it is so. */
    AGREED,
    /** The coordinator says that nothing changes. */
    CALLED_OFF,
    /**
     * A server says that it has begun the clock of a worker's change, and so has all that is pushed for those before,
     * or has ended that of a server's. The coordinator says to the server that has gone that all have.
     */
    PASSED;

    private static final ChangeStage[] VALUES = values();

    /** The stage for a code off the wire, or null. */
    static ChangeStage coded(int code) {
        return code >= 0 && code < VALUES.length ? VALUES[code] : null;
    }
}
