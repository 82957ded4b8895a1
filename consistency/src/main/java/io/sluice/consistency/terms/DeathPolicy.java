package io.sluice.consistency.terms;

/**
 * What becomes of the cluster when a worker dies: falls silent for the liveness time, or reports a fault of its own.
 * The death of a server ends the cluster unless it waits for it; that of the coordinator does whatever the policy.
 */
public enum DeathPolicy implements Choice {
    /** The cluster ends, and every node reports why. */
    FAIL,

    /**
     * The other nodes continue without it, in a new epoch: pushes that servers have taken stay in the parameters, and
     * no further pushes are awaited or taken.
     */
    SHRINK,

    /**
     * The other nodes wait for it: it can be started again, as the same worker or server, and continues from the last
     * snapshot with what the others have retained for it, to the same bits. The death of server 0, which coordinates,
     * ends the cluster all the same. In an elastic job the death of any node that takes part ends the cluster, and its
     * supervisor starts all nodes again from the newest snapshot.
     */
    WAIT
}
