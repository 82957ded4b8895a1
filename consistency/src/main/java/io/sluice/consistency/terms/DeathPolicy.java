package io.sluice.consistency.terms;

import io.sluice.messaging.Settings;

/**
 * The reaction of the cluster to the death of a worker. A worker counts as dead if it was silent for the liveness time
 * or has reported its own failure. The death of a server ends the cluster except under {@link #WAIT}; the death of the
 * coordinator always ends it.
 */
public enum DeathPolicy {
    /** The cluster ends, and every node reports why. */
    FAIL,

    /**
     * The other nodes continue without the lost node, in a new epoch. Pushes of the node that servers have accepted
     * stay in the parameters. Servers neither await nor accept further pushes from it.
     */
    SHRINK,

    /**
     * The other nodes wait for the lost node. The same worker or server can be started again, and continues from the
     * last snapshot with the frames that the others have retained. The result is bit-identical. The death of server 0,
     * which coordinates, still ends the cluster. In an elastic job the death of any node that takes part ends the
     * cluster, and its supervisor starts all nodes again from the newest snapshot.
     */
    WAIT;

    /** The name used in configuration: in lower case, with hyphens. */
    public String configName() {
        return Settings.configName(this);
    }
}
