package io.sluice.perf.shared;

/** The parts of a turn, in their order. */
enum Phase {
    /** The job has the links for itself. */
    BEFORE,

    /** Others send, too. */
    CROSS,

    /** The others have ended. */
    AFTER;

    String configName() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
