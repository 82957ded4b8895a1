package io.sluice.consistency.terms;

/** The thread of a worker that sends frames which wait for their link; named like Aeron's threading modes. */
public enum SendingMode implements Choice {
    /** The trainer's thread, in its calls to update, sync, clock and work. Between the calls nothing is sent. */
    INVOKER,

    /** The thread that sends heartbeats. It polls at least once in a millisecond. */
    SHARED,

    /** A thread of its own. */
    DEDICATED
}
