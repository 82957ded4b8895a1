package io.sluice.consistency.terms;

/** The role of a node. */
public enum Role implements Choice {
    /** Sums the pushes of its slices and broadcasts the sums. */
    SERVER,

    /** Trains the model: pushes updates to servers and applies their broadcasts. */
    WORKER
}
