package io.sluice.consistency.wire;

import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.placement.Placement;
import io.sluice.consistency.placement.PlacementHistory;
import io.sluice.consistency.placement.TableSpec;
import java.util.List;

/**
 * Which server owns each slice in which round, as far as this node knows of servers that join and leave (decision 37).
 *
 * <p>For one thread. Allocates nothing but when something has changed.
 */
public final class LivePlacement {
    private final Membership membership;
    private final PlacementHistory placements;

    /**
     * Begins with the placement of the start.
     *
     * @param membership knows which servers join and leave
     * @param specs      all tables
     */
    public LivePlacement(Membership membership, List<TableSpec> specs) {
        this.membership = membership;
        this.placements = PlacementHistory.of(membership.plan().settings(), specs);
    }

    /**
     * The placement for a round.
     *
     * @param round that has begun, or of which all changes are known
     * @return the same object as long as nothing changes
     */
    public Placement at(long round) {
        return placements.at(membership.crews().history().serverChanges(), round);
    }
}
