package io.sluice.tree.planning;

import io.sluice.tree.spi.BroadcastJob;
import java.util.Arrays;

/**
 * Decides how many children each site has in each tree, so that no uplink carries more than it can in a given time, the
 * job's pushes included.
 *
 * <p>Any numbers whose sum is the number of sites to reach make a tree. A site gets its children in as few trees as
 * possible, so it is an inner site in some trees and a leaf in the others. If possible each rack gets as many children
 * in a tree as it has sites, so that trees need not leave racks.
 */
final class ChildAllocation {
    private static final double ROUNDING = 1e-9;

    /** Number of bits of a site's number: a topology has up to 100,000 hosts. */
    private static final int SITE_BITS = 20;

    private final BroadcastJob job;
    private final int most;
    private final double[] budgets;
    private final int[] needed;
    private final int[][] rackNeeds;
    private final int[][] children;
    private final long[] order;

    private ChildAllocation(BroadcastJob job, int most, double seconds) {
        this.job = job;
        this.most = most;
        this.budgets = new double[job.sites()];
        this.needed = new int[job.shards()];
        this.order = new long[job.shards()];
        this.rackNeeds = new int[job.shards()][job.topology().edges().size()];
        this.children = new int[job.shards()][job.sites()];
        Arrays.setAll(budgets, site -> job.uplink(site) * seconds * (1 + ROUNDING));
        Arrays.setAll(needed, job::receivers);
        for (int shard = 0; shard < job.shards(); shard++) {
            for (int site = 0; site < job.sites(); site++) {
                budgets[site] -= job.pushBytes(shard, site);
                rackNeeds[shard][job.edge(site)] += job.receives(shard, site) ? 1 : 0;
            }
        }
    }

    /**
     * Finds an allocation.
     *
     * @param job     job to be planned
     * @param most    maximum number of children of a site in one tree
     * @param seconds seconds that an uplink may be busy
     * @return children by shard and site, or {@code null} if it finds none
     */
    static int[][] within(BroadcastJob job, int most, double seconds) {
        ChildAllocation allocation = new ChildAllocation(job, most, seconds);
        if (!allocation.giveToRoots()) {
            return null;
        }
        for (int site = 0; site < job.sites(); site++) {
            if (job.hasWorkers(site)) {
                allocation.giveTo(site);
            }
        }
        return Arrays.stream(allocation.needed).allMatch(left -> left == 0) ? allocation.children : null;
    }

    /**
     * Gives one child to each root, since only the root can send first. Then gives each root as many more children as
     * its uplink can serve and the limit allows.
     */
    private boolean giveToRoots() {
        for (int shard = 0; shard < job.shards(); shard++) {
            if (needed[shard] > 0 && room(shard, job.root(shard)) < 1) {
                return false;
            }
            give(shard, job.root(shard), Math.min(1, needed[shard]));
        }
        for (int shard = 0; shard < job.shards(); shard++) {
            give(shard, job.root(shard), Math.min(most - 1, room(shard, job.root(shard))));
        }
        return true;
    }

    /**
     * Gives children to a site, tree by tree: the trees to which its rack can contribute most come first, and among
     * equal ones the trees that need most.
     */
    private void giveTo(int site) {
        int edge = job.edge(site);
        int shards = needed.length;
        for (int i = 0; i < shards; i++) {
            int shard = (site + i) % shards;
            // Children in one tree do not change the need of other trees, so one sort suffices.
            order[i] = (((long) need(shard, edge) << SITE_BITS) + needed[shard] << SITE_BITS) + shards - 1 - i;
        }
        Arrays.sort(order);
        for (int i = shards - 1; i >= 0; i--) {
            int shard = (site + shards - 1 - (int) (order[i] & (1 << SITE_BITS) - 1)) % shards;
            if (children[shard][site] == 0 && job.receives(shard, site)) {
                give(shard, site, Math.min(most, room(shard, site)));
            }
        }
    }

    private int need(int shard, int edge) {
        return Math.max(0, rackNeeds[shard][edge]);
    }

    private int room(int shard, int site) {
        return (int) Math.min(needed[shard], Math.max(0, budgets[site]) / job.shardBytes(shard));
    }

    private void give(int shard, int site, int count) {
        children[shard][site] += count;
        needed[shard] -= count;
        rackNeeds[shard][job.edge(site)] -= count;
        budgets[site] -= (double) count * job.shardBytes(shard);
    }

    /**
     * Depth of the shallowest tree with the given numbers of children: sites with the most children are nearest to the
     * root.
     *
     * @param children children of each site
     * @param root     root of the tree
     * @param sites    sites to be reached
     * @param most     maximum number of children of a site
     * @return hops to the last site
     */
    static int depth(int[] children, int root, int sites, int most) {
        int[] count = new int[most + 1];
        for (int site = 0; site < children.length; site++) {
            if (site != root) {
                count[children[site]]++;
            }
        }
        int depth = 0;
        int left = sites;
        long open = children[root];
        int degree = most;
        while (left > 0) {
            depth++;
            long level = Math.min(open, left);
            left -= (int) level;
            open = 0;
            while (level > 0 && degree > 0) {
                long taken = Math.min(level, count[degree]);
                count[degree] -= (int) taken;
                open += taken * degree;
                level -= taken;
                degree -= count[degree] == 0 ? 1 : 0;
            }
        }
        return depth;
    }
}
