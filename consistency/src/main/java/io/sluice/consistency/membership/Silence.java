package io.sluice.consistency.membership;

import java.util.concurrent.TimeUnit;

/** Describes how long a node has been silent, and how long it may be silent. */
final class Silence {
    private Silence() {}

    /**
     * Describes a silence, such as "silent for 2612 ms, where 2500 ms are allowed"; both arguments are in nanoseconds.
     */
    static String inWords(long silenceNs, long allowedNs) {
        return "silent for " + TimeUnit.NANOSECONDS.toMillis(silenceNs) + " ms, where "
                + TimeUnit.NANOSECONDS.toMillis(allowedNs) + " ms are allowed,";
    }
}
