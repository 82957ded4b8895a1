package io.sluice.consistency.server;

import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.wire.FrameLog;
import java.util.function.IntToLongFunction;

/**
 * Says what a server need not keep of its broadcasts: what all workers have, and, where nodes may come back, what is in
 * the snapshot from which they would go on. For the server's thread.
 */
final class ShardReleases implements FrameLog.Releases {
    private final Membership membership;
    private final IntToLongFunction atAllWorkers;

    /**
     * Creates them.
     *
     * @param membership   knows which snapshot is safe
     * @param atAllWorkers the last version of a table that all workers have shown to have
     */
    ShardReleases(Membership membership, IntToLongFunction atAllWorkers) {
        this.membership = membership;
        this.atAllWorkers = atAllWorkers;
    }

    @Override
    public long versionAtAll(int table, long clock) {
        long had = atAllWorkers.applyAsLong(table);
        return membership.attendance().changes()
                ? Math.min(had, membership.snapshots().committed())
                : had;
    }

    @Override
    public void onPressed() {
        if (membership.attendance().changes()) {
            membership.press();
        }
    }
}
