package io.sluice.consistency.membership;

import io.sluice.consistency.terms.NodeIds;
import io.sluice.consistency.terms.Role;
import io.sluice.tree.Place;

/**
 * A worker takes part, or takes part no more, from a clock on, or a server owns slices, or none any more: all nodes
 * have agreed on it.
 *
 * @param clock the first of which that holds
 * @param role  of the node
 * @param index of the node among those of its role
 * @param joins whether it takes part from then on
 * @param place where it is: later another may be in its place
 */
public record WorkerSetChange(long clock, Role role, int index, boolean joins, Place place) {
    private static final int INDEX_BITS = 12;
    private static final int CLOCK_SHIFT = INDEX_BITS + 2;

    /**
     * The change in one number, without the place.
     *
     * @return for {@link #coded}
     */
    public long code() {
        return clock << CLOCK_SHIFT | (long) index << 2 | (long) role.ordinal() << 1 | (joins ? 1 : 0);
    }

    /** The clock of a coded change. */
    static long clockOf(long code) {
        return code >>> CLOCK_SHIFT;
    }

    /**
     * A change of an earlier run of a job, whose nodes were elsewhere.
     *
     * @param code as {@link #code} makes it; any other number stands for some change, too, which need not fit
     * @param ids  of the cluster
     * @throws IllegalArgumentException if there is no such place
     */
    static WorkerSetChange coded(long code, NodeIds ids) {
        Role role = Role.values()[(int) (code >> 1 & 1)];
        int index = (int) (code >> 2) & (1 << INDEX_BITS) - 1;
        if (index >= ids.places(role)) {
            throw new IllegalArgumentException("the snapshot is of a job with " + role.configName() + " " + index
                    + ", expected one of " + ids.places(role) + " places for " + role.configName() + "s");
        }
        return new WorkerSetChange(clockOf(code), role, index, 1 == (code & 1), new Place(ids.of(role, index), "", ""));
    }

    /**
     * Whether it is about a server.
     *
     * @return else it is about a worker
     */
    public boolean isOfServer() {
        return Role.SERVER == role;
    }
}
