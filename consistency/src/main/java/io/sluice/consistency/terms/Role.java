package io.sluice.consistency.terms;

/** What a node does. */
public enum Role implements Choice {
    /** Sums the pushes of its slices and broadcasts. */
    SERVER,

    /** Trains. */
    WORKER
}
