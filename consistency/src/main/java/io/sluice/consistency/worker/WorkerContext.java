package io.sluice.consistency.worker;

import io.sluice.consistency.membership.NodeContext;

/** Settings of a {@link Worker}. The terms of the cluster are not among them: they come with the welcome. */
public final class WorkerContext extends NodeContext<WorkerContext> {
    private boolean finiteOnly = true;

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
}
