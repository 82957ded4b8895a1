package io.sluice.consistency.membership;

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
public record CrewChange(long clock, Role role, int index, boolean joins, Place place) {
    /**
     * Whether it is about a server.
     *
     * @return else it is about a worker
     */
    public boolean isOfServer() {
        return Role.SERVER == role;
    }
}
