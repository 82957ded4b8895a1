package io.sluice.consistency.worker;

import io.sluice.consistency.membership.NodeContext;
import java.util.concurrent.TimeUnit;

/** Settings of a {@link Worker}. The terms of the cluster are not among them: they come with the welcome. */
public final class WorkerContext extends NodeContext<WorkerContext> {
    private boolean finiteOnly = true;
    private long syncNs = TimeUnit.SECONDS.toNanos(Long.getLong("sluice.sync.seconds", 600));

    /** Settings with their defaults. */
    public WorkerContext() {}

    @Override
    protected WorkerContext self() {
        return this;
    }

    /**
     * Whether updates with NaN or infinity are refused, which costs one more read of each update. Without it they
     * spread to every replica.
     *
     * @param value true by default
     * @return this
     */
    public WorkerContext finiteOnly(boolean value) {
        finiteOnly = value;
        return this;
    }

    /** Whether updates with NaN or infinity are refused. */
    public boolean finiteOnly() {
        return finiteOnly;
    }

    /**
     * How long {@code sync} may wait for a version while all nodes are alive: longer than the slowest iteration of the
     * slowest worker.
     *
     * @param ns nanoseconds, positive; ten minutes by default
     * @return this
     */
    public WorkerContext syncNs(long ns) {
        syncNs = ns;
        return this;
    }

    /** How long {@code sync} may wait for a version while all nodes are alive, in nanoseconds. */
    public long syncNs() {
        return syncNs;
    }

    @Override
    public void conclude() {
        super.conclude();
        requirePositive("sync time", syncNs);
    }
}
