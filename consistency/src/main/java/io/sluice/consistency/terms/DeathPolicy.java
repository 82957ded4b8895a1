package io.sluice.consistency.terms;

/**
 * The reaction of the cluster to the death of a worker. A worker is dead when it was silent for the liveness time or
 * has reported its own failure. The death of a server ends the cluster except under {@link #WAIT}; the death of the
 * coordinator always ends it.
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
