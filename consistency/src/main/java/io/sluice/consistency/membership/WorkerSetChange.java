package io.sluice.consistency.membership;

import io.sluice.tree.Place;

/**
 * An agreed change at a clock: a worker joins or leaves the worker set, or a server begins or ceases to own slices.
 *
 * @param clock first clock for which the change holds
 * @param role  role of the node
 * @param index index of the node among those of its role
 * @param joins whether the node takes part from then on
 * @param place place of the node; another node may have that place later
 */
public record WorkerSetChange(long clock, Role role, int index, boolean joins, Place place) {
    private static final int INDEX_BITS = 12;
    private static final int CLOCK_SHIFT = INDEX_BITS + 2;

    /**
     * Encodes the change as a number, without the place.
     *
     * @return the code for {@link #coded}
     */
    public long code() {
        return clock << CLOCK_SHIFT | (long) index << 2 | (long) role.ordinal() << 1 | (joins ? 1 : 0);
    }

    /** The clock of a coded change. */
    static long clockOf(long code) {
        return code >>> CLOCK_SHIFT;
    }

    /**
     * Decodes a change of an earlier run of a job, whose nodes had other addresses.
     *
     * @param code code as {@link #code} makes it; any number decodes to some change, which need not fit
     * @param ids  ids of the cluster
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
     * Whether a server joins or leaves.
     *
     * @return false if a worker does
     */
    public boolean isOfServer() {
        return Role.SERVER == role;
    }
}
