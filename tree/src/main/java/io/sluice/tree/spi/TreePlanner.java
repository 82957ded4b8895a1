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
     * Limits that the trees of this planner keep even when they are changed later; {@link Limits#NONE} if there are
     * none.
     */
    default Limits limits() {
        return Limits.NONE;
    }

    /** The text that describes this planner, in the form that {@link TreePlanners#named} reads. */
    String name();

    /**
     * The limits that all trees of a planner keep.
     *
     * @param degree maximum number of children of a site in one tree, T; 0 for any number
     * @param depth  maximum number of hops from a server to a site, H; 0 for any number
     */
    record Limits(int degree, int depth) {
        /** No limits. */
        public static final Limits NONE = new Limits(0, 0);

        /** Refuses negative numbers. */
        public Limits {
            if (degree < 0 || depth < 0) {
                throw new IllegalArgumentException(
                        "limits of a tree are T = " + degree + " and H = " + depth + ", expected 0 or more");
            }
        }

        /** The number by which children exceed T. */
        public int excess(int children) {
            return degree == 0 ? 0 : Math.max(0, children - degree);
        }

        /** Whether a site may be at this depth. */
        public boolean allowsDepth(int hops) {
            return depth == 0 || hops <= depth;
        }
    }
}
