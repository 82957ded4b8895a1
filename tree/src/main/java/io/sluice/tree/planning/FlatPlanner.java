package io.sluice.tree.planning;

import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.Forest;
import io.sluice.tree.spi.RelayTree;
import io.sluice.tree.spi.TreePlanner;
import java.util.ArrayList;
import java.util.List;

/** Lets each server send to every site itself: n copies over its uplink, and one hop. */
public final class FlatPlanner implements TreePlanner {
    @Override
    public Forest plan(BroadcastJob job) {
        List<RelayTree> trees = new ArrayList<>();
        for (int shard = 0; shard < job.shards(); shard++) {
            int[] parents = new int[job.sites()];
            for (int site = 0; site < parents.length; site++) {
                parents[site] = job.receives(shard, site) ? job.root(shard) : RelayTree.NONE;
            }
            trees.add(new RelayTree(job, shard, job.shardBytes(shard), parents));
        }
        return new Forest(name(), trees);
    }

    @Override
    public String name() {
        return "flat";
    }
}
