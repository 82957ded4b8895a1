package io.sluice.tree.planning;

import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.Forest;
import io.sluice.tree.spi.RelayTree;
import io.sluice.tree.spi.TreePlanner;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Lets each site send to one other, rack by rack, starting with the server's: each uplink carries everything once, and
 * there are as many hops as sites. If one site has the slowest uplink, it is last, where it sends nothing.
 */
public final class ChainPlanner implements TreePlanner {
    @Override
    public Forest plan(BroadcastJob job) {
        int last = slowest(job);
        List<RelayTree> trees = new ArrayList<>();
        for (int shard = 0; shard < job.shards(); shard++) {
            int[] parents = new int[job.sites()];
            Arrays.fill(parents, RelayTree.NONE);
            int previous = job.root(shard);
            int begin = rackOf(job, previous);
            for (int i = 0; i < parents.length; i++) {
                int site = (begin + i) % parents.length;
                if (site != last && job.receives(shard, site)) {
                    parents[site] = previous;
                    previous = site;
                }
            }
            if (last >= 0 && job.receives(shard, last)) {
                parents[last] = previous;
            }
            trees.add(new RelayTree(job, shard, job.shardBytes(shard), parents));
        }
        return new Forest(name(), trees);
    }

    /** The first site in the rack of a site. */
    private static int rackOf(BroadcastJob job, int site) {
        int first = site;
        while (first > 0 && job.edge(first - 1) == job.edge(site)) {
            first--;
        }
        return first;
    }

    private static int slowest(BroadcastJob job) {
        int slowest = RelayTree.NONE;
        double rate = Double.POSITIVE_INFINITY;
        for (int site = 0; site < job.sites(); site++) {
            if (job.hasWorkers(site) && job.uplink(site) <= rate) {
                slowest = job.uplink(site) < rate ? site : RelayTree.NONE;
                rate = job.uplink(site);
            }
        }
        return slowest;
    }

    @Override
    public TreePlanner.Limits limits() {
        return new TreePlanner.Limits(1, 0);
    }

    @Override
    public String name() {
        return "chain";
    }
}
