package io.sluice.tree.planning;

import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.Forest;
import io.sluice.tree.spi.RelayTree;
import io.sluice.tree.spi.TreePlanner;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Plans one tree for all servers and fills each level before the next, rack by rack: inner sites send every shard T
 * times. {@link CheapestTreePlanner} also plans one tree, with a better choice of neighbours.
 */
public final class SharedPlanner implements TreePlanner {
    private final int degree;
    private final int depth;

    /**
     * Creates a planner.
     *
     * @param degree maximum number of children of a site, T
     * @param depth  maximum number of hops, H; 0 for no limit
     */
    public SharedPlanner(int degree, int depth) {
        this.degree = degree;
        this.depth = depth;
    }

    @Override
    public Forest plan(BroadcastJob job) {
        DepthLimit.check(name(), degree, depth, job);
        List<RelayTree> trees = new ArrayList<>();
        for (int shard = 0; shard < job.shards(); shard++) {
            int[] parents = new int[job.sites()];
            Arrays.fill(parents, RelayTree.NONE);
            int[] order = new int[job.receivers(shard)];
            int count = 0;
            for (int site = 0; site < parents.length; site++) {
                if (job.receives(shard, site)) {
                    parents[site] = count < degree ? job.root(shard) : order[count / degree - 1];
                    order[count++] = site;
                }
            }
            trees.add(new RelayTree(job, shard, job.shardBytes(shard), parents));
        }
        return new Forest(name(), trees);
    }

    @Override
    public TreePlanner.Limits limits() {
        return new TreePlanner.Limits(degree, depth);
    }

    @Override
    public String name() {
        return DepthLimit.named("shared", degree, depth);
    }
}
