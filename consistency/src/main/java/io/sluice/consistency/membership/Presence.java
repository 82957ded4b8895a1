package io.sluice.consistency.membership;

/** The state of a place. */
public enum Presence {
    /** The place is empty: no node has had it. */
    VACANT,
    /** A node that has joined a running job and takes no part yet. */
    NEWCOMER,
    /** A node that takes part. */
    ACTIVE,
    /** A node that leaves the rounds at an agreed clock. Other nodes may still need it. */
    LEAVING,
    /** A server that no other node needs, so it may leave. */
    RELEASED,
    /** A node that has left after completing its work. */
    LEFT,
    /** A node that has left before the end of the job. */
    WITHDRAWN,
    /** A dead node, without which the others continue. */
    LOST,
    /** A dead node that the others wait for. */
    AWAITED;

    /** Whether the cluster counts the node as a running member. */
    public boolean isPresent() {
        return this == NEWCOMER || this == ACTIVE || this == LEAVING || this == RELEASED;
    }

    /** Whether the cluster has declared the node dead. */
    boolean isLost() {
        return this == LOST || this == AWAITED;
    }

    /** Whether the node has left. */
    boolean hasLeft() {
        return this == LEFT || this == WITHDRAWN;
    }

    /** Whether an event can lead from this state to another one. */
    boolean leadsTo(Presence next) {
        return switch (next) {
            case VACANT -> false;
            case NEWCOMER -> this == VACANT || this == WITHDRAWN || this == LOST; // the place must be free
            case ACTIVE -> this == NEWCOMER || this == AWAITED;
            case LEAVING, LEFT -> this == ACTIVE;
            case RELEASED -> this == NEWCOMER || this == LEAVING;
            case WITHDRAWN -> isPresent() && this != ACTIVE;
            case LOST, AWAITED -> isPresent();
        };
    }
}
