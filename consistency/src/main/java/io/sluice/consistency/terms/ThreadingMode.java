package io.sluice.consistency.terms;

import io.sluice.messaging.Settings;

/**
 * The threads on which a node runs its agents: the one that serves, the one that sends heartbeats, and the coordinator
 * if the node runs it. The names are those of Aeron's threading modes for a media driver. Workers use them for the
 * thread that sends queued frames: see {@code WorkerContext.sending}.
 */
public enum ThreadingMode {
    /**
     * No thread of the library, not even Aeron's client conductor: the program calls the node in its own duty cycle.
     * The node sends no heartbeat between two calls, so they must be less than the cluster's liveness time apart, or
     * the node is declared dead.
     */
    INVOKER,

    /**
     * All agents in the thread that launches, runs and closes the node. Heartbeats wait for the end of each of its
     * cycles, the longest of which finalises a large table.
     */
    SHARED,

    /** Each agent in a thread of its own; the serving agent in the thread that runs the node. */
    DEDICATED;

    /** The name used in configuration: in lower case, with hyphens. */
    public String configName() {
        return Settings.configName(this);
    }
}
