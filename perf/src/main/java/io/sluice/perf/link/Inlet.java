package io.sluice.perf.link;

/** The receiving end of a stream, of any stack. It passes frames to a handler. */
@FunctionalInterface
interface Inlet {
    /** Takes up to {@code limit} fragments; returns their number. */
    int poll(int limit);
}
