package io.sluice.perf.shared;

/** The parts of a turn, in their order. */
enum Phase {
    /** The job uses the links alone. */
    BEFORE,

    /** Cross traffic uses the links as well. */
    CROSS,

    /** Cross traffic has ended. */
    AFTER;

    String configName() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
