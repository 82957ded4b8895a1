package io.sluice.consistency.terms;

/** How nodes send frames to each other. */
public enum TransportKind implements Choice {
    /** Shared memory between nodes of one host, UDP between hosts. */
    IPC,

    /** UDP between all nodes, those of one host included. */
    UDP
}
