package io.sluice.consistency.server;

import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.wire.Gaps;
import io.sluice.consistency.wire.Peering;
import java.util.function.IntPredicate;

/**
 * What the tables of a server expect of each worker.
 *
 * @param membership of the server
 * @param peering    knows the ways of pushes
 * @param tables     of the server, by their ids; null where it has none of one
 * @param isGone     whether a worker has left or is lost
 */
record AwaitedPushes(Membership membership, Peering peering, TableShard[] tables, IntPredicate isGone)
        implements Gaps.Due {
    private int node(int worker) {
        ClusterPlan plan = membership.plan();
        return plan.workerNode(worker);
    }

    @Override
    public boolean mayBeLost(int worker) {
        return membership.attendance().life(node(worker)) >= 0 && peering.pushesMayBeLost(node(worker));
    }

    @Override
    public boolean isThere(int worker) {
        return !isGone.test(worker)
                && !membership.attendance().seat(node(worker)).isAway();
    }

    @Override
    public boolean expects(int worker, int table) {
        TableShard shard = tables[table];
        return null != shard && !shard.isAtRest() && shard.ledger(worker).round() <= shard.version() + 1;
    }

    @Override
    public boolean isAwaited(int worker, int table) {
        return expects(worker, table);
    }

    @Override
    public long clock(int worker, int table) {
        return tables[table].ledger(worker).round();
    }

    @Override
    public int sequence(int worker, int table) {
        return tables[table].ledger(worker).frames();
    }
}
