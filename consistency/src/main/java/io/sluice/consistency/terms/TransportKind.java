package io.sluice.consistency.terms;

/** How peers reach one another. */
public enum TransportKind implements Choice {
    /** Shared memory between nodes of one host, UDP between hosts. */
    IPC,

    /** UDP between all nodes, also those of one host. */
    UDP
}
