package io.sluice.tree.planning;

import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.Forest;
import io.sluice.tree.spi.RelayTree;
import io.sluice.tree.spi.TreePlanner;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The tree of the Parameter Flow paper (section 3.4.1, problem P3): one tree for all servers, which together are its
 * root; at most T children, at most H hops. It minimises the sum of the costs of all hops, where a hop from the root
 * counts once for each server, and of a penalty for each leaf.
 *
 * <p>A greedy construction ({@link CheapestTreeGreedy}) is followed by a short simulated annealing
 * ({@link CheapestTreeSearch}); the result is not always the optimum. Time is not part of the objective: inner sites
 * send every shard up to T times. {@link RotatedPlanner} minimises time.
 */
public final class CheapestTreePlanner implements TreePlanner {
    /** Penalty of a leaf, alpha, which the paper does not give. */
    public static final double LEAF_PENALTY = 0.2;

    private final int degree;
    private final int depth;
    private final double leafPenalty;

    /**
     * Creates a planner.
     *
     * @param degree      maximum number of children of a site, T
     * @param depth       maximum number of hops, H; 0 for no limit
     * @param leafPenalty alpha, 0 or more
     */
    public CheapestTreePlanner(int degree, int depth, double leafPenalty) {
        this.degree = degree;
        this.depth = depth;
        this.leafPenalty = leafPenalty;
    }

    @Override
    public Forest plan(BroadcastJob job) {
        boolean[] receives = new boolean[job.sites()];
        for (int site = 0; site < receives.length; site++) {
            receives[site] = job.hasWorkers(site);
        }
        DepthLimit.check(name(), degree, depth, job, receives, "the servers together");
        SharedTree tree = belowAllServers(job, new SiteCosts(job));
        List<RelayTree> trees = new ArrayList<>();
        for (int shard = 0; shard < job.shards(); shard++) {
            trees.add(new RelayTree(job, shard, job.shardBytes(shard), parents(job, tree, shard)));
        }
        return new Forest(name(), trees);
    }

    private SharedTree belowAllServers(BroadcastJob job, SiteCosts costs) {
        int most = depth == 0 ? Integer.MAX_VALUE : depth;
        SharedTree first = new CheapestTreeGreedy(job, costs, degree, most).build(leafPenalty);
        return new CheapestTreeSearch(first, costs, leafPenalty, job.seed()).run();
    }

    /**
     * The parents of the sites in the tree of one server. If the server's site is in the shared tree, a leaf below it
     * takes its place there.
     */
    private static int[] parents(BroadcastJob job, SharedTree tree, int shard) {
        int root = job.root(shard);
        int[] parents = new int[job.sites()];
        Arrays.fill(parents, RelayTree.NONE);
        int top = root;
        while (job.hasWorkers(root) && tree.degree(top) > 0) {
            top = tree.child(top, 0);
        }
        for (int site = 0; site < parents.length; site++) {
            if (job.receives(shard, site)) {
                int parent = tree.parent(site == top ? root : site);
                parents[site] = parent == root ? top : parent == tree.root() ? root : parent;
            }
        }
        return parents;
    }

    /**
     * The paper's objective for the tree that this planner finds below all servers together: the costs of all hops,
     * those from the root once for each server, and the penalties. It plans again, because the trees of servers that
     * share sites with workers do not show it.
     *
     * @param job job to be planned
     * @return the objective, in the unit of the costs
     */
    public double objective(BroadcastJob job) {
        SiteCosts costs = new SiteCosts(job);
        return belowAllServers(job, costs).objective(costs, leafPenalty);
    }

    /** The objective of any tree of a job in which no server shares a host with a worker. */
    double objective(BroadcastJob job, RelayTree tree) {
        SiteCosts costs = new SiteCosts(job);
        double sum = 0;
        for (int place = 1; place < tree.size(); place++) {
            int site = tree.order(place);
            int parent = tree.parent(site);
            sum += costs.of(parent == tree.root() ? costs.servers() : parent, site);
            sum += tree.degree(site) == 0 ? leafPenalty : 0;
        }
        return sum;
    }

    /**
     * A lower bound on the objective over all trees for a job.
     *
     * @param job job to be planned
     * @return the objective, in the unit of the costs
     */
    public double bound(BroadcastJob job) {
        return CheapestTreeBound.of(job, degree, depth, leafPenalty);
    }

    @Override
    public TreePlanner.Limits limits() {
        return new TreePlanner.Limits(degree, depth);
    }

    @Override
    public String name() {
        return DepthLimit.named("p3", degree, depth);
    }
}
