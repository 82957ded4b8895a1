package io.sluice.perf.link;

/** The receiving end of a stream, of any stack; what arrives goes to a handler. */
@FunctionalInterface
interface Inlet {
    /** Takes up to {@code limit} pieces; returns how many there were. */
    int poll(int limit);
}
