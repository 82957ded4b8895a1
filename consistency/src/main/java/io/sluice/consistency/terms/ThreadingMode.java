package io.sluice.consistency.terms;

/**
 * In which threads the agents of a node work: the one that serves, the one that keeps heartbeats, and the coordinator
 * where the node runs it. Named as Aeron's threading modes of a media driver are.
 */
public enum ThreadingMode implements Choice {
    /**
     * No thread of ours at all, Aeron's client conductor included: the program calls, in a duty cycle of its own. While
     * it does not call, no heartbeat leaves the node, so between two calls there must be less than the cluster's
     * liveness time, or the node is taken for dead.
     */
    INVOKER,

    /**
     * All in the one thread that launches, runs and closes the node. Heartbeats wait for the end of each of its cycles,
     * the longest of which is the finalising of a large table.
     */
    SHARED,

    /** Each in a thread of its own; the one that serves in the thread that runs the node. */
    DEDICATED
}
