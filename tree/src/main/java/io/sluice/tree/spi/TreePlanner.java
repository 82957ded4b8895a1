package io.sluice.tree.spi;

import io.sluice.tree.planning.TreePlanners;

/**
 * Plans the broadcast trees of all servers.
 *
 * <p>A plan is a pure function of the job and its seed: every node of the cluster computes it itself, with the same
 * result. Implementations must reach each receiver of each shard exactly once per stripe, and cut a shard into
 * stripes of {@link BroadcastJob#shardBytes} together. Immutable, shared by all threads.
 */
public interface TreePlanner {
    /**
     * Plans a broadcast.
     *
     * @param job senders, receivers, sizes and network
     * @return the trees of all servers, in the order of the servers
     * @throws IllegalArgumentException if a limit of the planner cannot be kept, naming the limit and the first server
     *     or host that exceeds it
     */
    Forest plan(BroadcastJob job);

    /**
     * Limits that the trees of this planner keep even when they are changed later; {@link TreeLimits#NONE} if there are
     * none.
     */
    default TreeLimits limits() {
        return TreeLimits.NONE;
    }

    /** The text that describes this planner, in the form that {@link TreePlanners#named} reads. */
    String name();
}
