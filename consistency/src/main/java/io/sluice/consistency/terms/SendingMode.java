package io.sluice.consistency.terms;

/** On which thread of a worker frames that wait for their link are sent; named as Aeron's threading modes are. */
public enum SendingMode implements Choice {
    /** The trainer's, in its calls of update, sync, clock and work. What waits does not move between them. */
    INVOKER,

    /** The thread that sends heartbeats. It polls at least once in a millisecond. */
    SHARED,

    /** One of its own. */
    DEDICATED
}
