package io.sluice.tree.planning;

/**
 * Decides who passes each server's frames on to whom.
 *
 * <p>A plan is a pure function of the job, its seed included: every node of the cluster computes it for itself and all
 * arrive at the same one. Implementations must reach each receiver of each shard exactly once per stripe, and cut a
 * shard into stripes of {@link BroadcastJob#shardBytes} together. Immutable, shared by all threads.
 */
public interface TreePlanner {
    /**
     * Plans a broadcast.
     *
     * @param job who sends what to whom, over which network
     * @return the trees of all servers, in the order of the servers
     * @throws IllegalArgumentException if a limit of the planner cannot be kept, naming the limit and the first server
     *     or host for which it cannot
     */
    Forest plan(BroadcastJob job);

    /** What it promises of its trees, for those who change them later; without a promise {@link TreeLimits#NONE}. */
    default TreeLimits limits() {
        return TreeLimits.NONE;
    }

    /** The text that names it, as {@link TreePlanners#named} takes it. */
    String name();
}
