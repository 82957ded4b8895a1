package io.sluice.consistency.worker;

import io.sluice.consistency.membership.NodeContext;
import io.sluice.messaging.Settings;

/** Settings of a {@link Worker}. The terms of the cluster are not among them: they come with the welcome. */
public final class WorkerContext extends NodeContext<WorkerContext> {
    /** Property for {@link #filterLanes(int)}. */
    public static final String LANES_PROPERTY = "sluice.filter.lanes";

    private static final int MAX_LANES = 64;

    private boolean finiteOnly = true;
    private int filterLanes = Settings.intSize(LANES_PROPERTY, 1);

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
     * In how many threads large updates are filtered, the trainer's among them; worth it on cores that have nothing
     * else to do while the trainer pushes. What is sent does not depend on the threads' pace. With a filter that
     * estimates, it depends on their number, for each lane estimates by its own slices.
     *
     * @param value 1 to 64; 1 by default
     * @return this
     */
    public WorkerContext filterLanes(int value) {
        filterLanes = value;
        return this;
    }

    /** In how many threads large updates are filtered. */
    public int filterLanes() {
        return filterLanes;
    }

    @Override
    public void conclude() {
        Settings.inRange("filterLanes", filterLanes, 1, MAX_LANES);
        super.conclude();
    }
}
