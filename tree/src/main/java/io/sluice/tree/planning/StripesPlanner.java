package io.sluice.tree.planning;

import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.Forest;
import io.sluice.tree.spi.RelayTree;
import io.sluice.tree.spi.TreePlanner;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Cuts each shard between frames into a stripe for each site, in proportion to the uplinks. A site receives its stripe
 * from the server and forwards it to all others. Each uplink carries everything once, over two hops, but each pair of
 * sites needs a link.
 */
public final class StripesPlanner implements TreePlanner {
    /** Maximum number of links over all stripes. */
    static final long MOST_HOPS = 1 << 22;

    @Override
    public Forest plan(BroadcastJob job) {
        long hops = 0;
        List<RelayTree> trees = new ArrayList<>();
        for (int shard = 0; shard < job.shards(); shard++) {
            hops += (long) job.receivers(shard) * job.receivers(shard);
            if (hops > MOST_HOPS) {
                throw new IllegalArgumentException("the plan stripes has " + hops + " hops after shard " + shard
                        + " (server on " + job.name(job.root(shard)) + ", " + job.receivers(shard)
                        + " hosts), expected up to " + MOST_HOPS
                        + ": with stripes every host sends to every other host; choose another tree");
            }
            addStripes(job, shard, trees);
        }
        return new Forest(name(), trees);
    }

    private static void addStripes(BroadcastJob job, int shard, List<RelayTree> trees) {
        double rates = 0;
        for (int site = 0; site < job.sites(); site++) {
            rates += job.receives(shard, site) ? job.uplink(site) : 0;
        }
        long frames = Math.ceilDiv(job.shardBytes(shard), job.frameBytes());
        double begin =
                (shard + 0.5) / job.shards(); // otherwise the same hosts would have the longer stripes of all shards
        double reached = 0;
        long cut = 0;
        for (int head = 0; head < job.sites(); head++) {
            if (job.receives(shard, head)) {
                reached += job.uplink(head);
                long end =
                        Math.min(job.shardBytes(shard), (long) (frames * (reached / rates) + begin) * job.frameBytes());
                if (end > cut) {
                    trees.add(new RelayTree(job, shard, end - cut, stripe(job, shard, head)));
                    cut = end;
                }
            }
        }
        if (rates == 0) { // no receiver needs this shard, but every shard has a tree
            trees.add(new RelayTree(job, shard, job.shardBytes(shard), stripe(job, shard, RelayTree.NONE)));
        }
    }

    private static int[] stripe(BroadcastJob job, int shard, int head) {
        int[] parents = new int[job.sites()];
        Arrays.fill(parents, RelayTree.NONE);
        for (int site = 0; site < parents.length; site++) {
            if (job.receives(shard, site)) {
                parents[site] = site == head ? job.root(shard) : head;
            }
        }
        return parents;
    }

    @Override
    public String name() {
        return "stripes";
    }
}
