package io.sluice.consistency.server;

import io.sluice.consistency.membership.ClusterPlan;
import java.util.concurrent.TimeUnit;

/**
 * Hands parameters to workers that come while the job runs (decision 33), each on a link of its own, which is opened
 * when it asks and closed when it has asked for nothing for long. Used by the server's thread.
 */
final class Handovers {
    private static final long KEEP_NS = TimeUnit.SECONDS.toNanos(10);

    private final DenseLines lines;
    private final TableShard[] tables;
    private final ClusterPlan plan;

    /** By worker; null where nothing is asked for. */
    private final Handover[] handovers;

    private int open;

    /**
     * Without any so far.
     *
     * @param lines  opens a line to each
     * @param tables by id; null where the server owns nothing
     * @param plan   of the cluster
     */
    Handovers(DenseLines lines, TableShard[] tables, ClusterPlan plan) {
        this.lines = lines;
        this.tables = tables;
        this.plan = plan;
        this.handovers = new Handover[plan.settings().workerPlaces()];
    }

    /** Takes a request for a table that has slices here. */
    void ask(int worker, int table, long version) {
        if (null == handovers[worker]) {
            handovers[worker] = new Handover(lines.open(plan.workerNode(worker)), tables);
            open++;
        }
        handovers[worker].ask(table, version);
    }

    /** Sends what there is room for; returns the number of frames. */
    int work(long nowNs) {
        if (0 == open) {
            return 0;
        }
        int sent = 0;
        for (int worker = 0; worker < handovers.length; worker++) {
            Handover handover = handovers[worker];
            if (null != handover) {
                sent += handover.work(nowNs);
                if (handover.isIdle(nowNs, KEEP_NS)) {
                    forget(worker);
                }
            }
        }
        return sent;
    }

    /** Sends nothing more to a worker that is gone. */
    void forget(int worker) {
        if (null != handovers[worker]) {
            handovers[worker].close();
            handovers[worker] = null;
            open--;
        }
    }
}
