package io.sluice.consistency.server;

import io.sluice.consistency.membership.Membership;
import io.sluice.messaging.Patience;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * Says what a server waits for while a round takes long: workers that have not declared their tables, or not pushed,
 * slices that are handed over, links. Used by the server's thread. Allocates nothing while rounds pass.
 */
final class RoundWait {
    private final Membership membership;
    private final Shard shard;
    private final IntPredicate hasDeclared;
    private final Patience patience;
    private long version = Long.MIN_VALUE;

    /**
     * Begins before the first round.
     *
     * @param membership  of the server
     * @param shard       of the server
     * @param hasDeclared whether a worker has declared all tables
     */
    RoundWait(Membership membership, Shard shard, IntPredicate hasDeclared) {
        this.membership = membership;
        this.shard = shard;
        this.hasDeclared = hasDeclared;
        this.patience = membership.patience(Patience.UNLIMITED);
    }

    /** In every duty cycle. */
    void look(long nowNs) {
        long reached = shard.version();
        if (reached != version) {
            version = reached;
            patience.begin(nowNs);
        } else if (patience.isTime(nowNs)) {
            patience.tell(shard.isBuilt() ? shard.awaited() : declarations(), nowNs);
        }
    }

    private String declarations() {
        List<Integer> missing = membership.crews().history().crews().getLast().workers().stream()
                .filter(worker -> !hasDeclared.test(worker) && !membership.isLost(worker))
                .toList();
        return missing.isEmpty() ? "" : "workers " + missing + " to declare their tables to " + membership.endpoint();
    }
}
