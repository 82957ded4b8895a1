package io.sluice.perf.link;

import java.util.Locale;

/** The measured property of a link. */
enum LinkMode {
    /** Frames at full speed. */
    THROUGHPUT,
    /** Round trips of one frame at a time. */
    RTT,
    /** Frames at a fixed rate, whether or not the earlier ones have arrived. */
    OPEN_LOOP;

    /** Whether the mode measures latencies, not throughput. */
    boolean recordsLatencies() {
        return this != THROUGHPUT;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
