package io.sluice.consistency.wire;

import io.sluice.consistency.membership.CrewChange;
import io.sluice.consistency.membership.CrewHistory;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.placement.Placement;
import io.sluice.consistency.placement.PlacementHistory;
import io.sluice.consistency.placement.TableSpec;
import java.util.List;

/**
 * Which server owns each slice in which round, as far as this node has been told of servers that come and go (decision
 * 37). Whoever may begin a round has been told of all changes up to it.
 *
 * <p>For one thread. Allocates nothing but when something has changed.
 */
public final class LivePlacement {
    private final Membership membership;
    private final PlacementHistory placements;
    private CrewHistory followed;

    /**
     * Begins with the placement of the start.
     *
     * @param membership knows who comes and goes
     * @param specs      all tables
     */
    public LivePlacement(Membership membership, List<TableSpec> specs) {
        this.membership = membership;
        int servers = membership.plan().settings().servers();
        Placement first = membership.plan().settings().placement().strategy().place(specs, servers);
        this.placements = new PlacementHistory(specs, first, servers);
    }

    /**
     * The placement for a round.
     *
     * @param round that has begun, or of which all changes are known
     * @return the same object as long as nothing changes
     */
    public Placement at(long round) {
        follow();
        return placements.at(round);
    }

    private void follow() {
        CrewHistory now = membership.crews().history();
        if (now == followed) {
            return;
        }
        List<CrewChange> changes = now.serverChanges();
        int known = null == followed ? 0 : followed.serverChanges().size();
        for (CrewChange change : changes.subList(known, changes.size())) {
            placements.change(change.clock(), change.index(), change.joins());
        }
        followed = now;
    }
}
