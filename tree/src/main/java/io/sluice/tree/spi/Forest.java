package io.sluice.tree.spi;

import java.util.List;

/**
 * A plan: the trees of all shards.
 *
 * @param strategy strategy that made it, as it is written on a command line
 * @param reason   why the planner chose this plan, for people; empty if there was no choice
 * @param trees    trees by shard; one for each shard, or one for each stripe of it
 */
public record Forest(String strategy, String reason, List<RelayTree> trees) {
    /** Copies {@code trees}. */
    public Forest {
        trees = List.copyOf(trees);
    }

    /**
     * Creates a plan without a reason, by a planner that does not choose between plans.
     *
     * @param strategy strategy that made it, as it is written on a command line
     * @param trees    one for each shard, or one for each stripe of it
     */
    public Forest(String strategy, List<RelayTree> trees) {
        this(strategy, "", trees);
    }

    /** Number of hops from a server to the site that is farthest from it. */
    public int depth() {
        return trees.stream().mapToInt(RelayTree::depth).max().orElse(0);
    }

    /** Sum of the costs of all hops of all trees. */
    public double cost(BroadcastJob job) {
        return trees.stream().mapToDouble(tree -> tree.cost(job)).sum();
    }

    /** Maximum number of children of a site in one tree. */
    public int degree() {
        int most = 0;
        for (RelayTree tree : trees) {
            for (int i = 0; i < tree.size(); i++) {
                most = Math.max(most, tree.degree(tree.order(i)));
            }
        }
        return most;
    }
}
