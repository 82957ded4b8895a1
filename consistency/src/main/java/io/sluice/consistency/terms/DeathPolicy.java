package io.sluice.consistency.terms;

/**
 * What becomes of the cluster when a worker dies: falls silent for the liveness time, or reports a fault of its own.
 * The death of a server ends the cluster unless it waits for it; that of the coordinator does whatever the policy.
 */
public enum DeathPolicy implements Choice {
    /** The cluster ends, and every node says why. */
    FAIL,

    /**
     * The others go on without it, in a new epoch: what servers took of its pushes stays in the parameters, and nothing
     * more is awaited of it or taken from it.
     */
    SHRINK,

    /**
     * The others wait for it: it can be started again, as the same worker or server, and goes on from the last snapshot
     * with what the others have kept for it, to the same bits. The death of server 0, which coordinates, ends the
     * cluster all the same. Where nodes join and leave, the death of any node that takes part ends the cluster:
     * its supervisor starts all nodes again, from the newest snapshot.
     */
    WAIT
}
