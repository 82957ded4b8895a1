package io.sluice.perf.link;

import java.util.Locale;

/** What is measured of a link. */
enum LinkMode {
    /** As many frames as go through. */
    THROUGHPUT,
    /** A frame there and back, the next one only then. */
    RTT,
    /** Frames at a fixed rate, whether or not the earlier ones have arrived. */
    OPEN_LOOP;

    /** Whether it is about time, not about bytes. */
    boolean recordsLatencies() {
        return this != THROUGHPUT;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
