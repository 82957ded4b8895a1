package io.sluice.tree.planning;

import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.RelayTree;

/** Checks how many sites a tree can reach. */
final class DepthLimit {
    private DepthLimit() {}

    /**
     * Number of sites in a full tree, the root not included.
     *
     * @param degree maximum number of children of a site
     * @param depth  hops to the last site
     * @return T + T^2 + ... + T^H, at most {@link Integer#MAX_VALUE}
     */
    static int reach(int degree, int depth) {
        long level = 1;
        long sum = 0;
        for (int i = 0; i < depth && sum < Integer.MAX_VALUE; i++) {
            level = Math.min(Integer.MAX_VALUE, level * degree);
            sum += level;
        }
        return (int) Math.min(Integer.MAX_VALUE, sum);
    }

    /**
     * Refuses limits that leave sites out, and names the first of them.
     *
     * @param strategy strategy that has the limits
     * @param degree   maximum number of children
     * @param depth    maximum number of hops; 0 for no limit
     * @param receives marks the sites to reach
     * @param from     name of the server or servers, for the message
     */
    static void check(String strategy, int degree, int depth, BroadcastJob job, boolean[] receives, String from) {
        int reach = depth == 0 ? Integer.MAX_VALUE : reach(degree, depth);
        int count = 0;
        int first = RelayTree.NONE;
        for (int site = 0; site < receives.length; site++) {
            if (receives[site] && ++count == (long) reach + 1) {
                first = site;
            }
        }
        if (count > reach) {
            throw new IllegalArgumentException("strategy " + strategy + ": T = " + degree + " children and depth H = "
                    + depth + " reach at most " + reach + " hosts from " + from + ", expected to reach " + count
                    + ": host " + job.name(first) + " would be the first without a parent");
        }
    }

    /** For each site, whether a shard has to reach it. */
    static boolean[] receivers(BroadcastJob job, int shard) {
        boolean[] receives = new boolean[job.sites()];
        for (int site = 0; site < receives.length; site++) {
            receives[site] = job.receives(shard, site);
        }
        return receives;
    }

    /** Refuses limits with which the tree of some shard cannot reach all its receivers. */
    static void check(String strategy, int degree, int depth, BroadcastJob job) {
        for (int shard = 0; shard < job.shards(); shard++) {
            String from = "server " + shard + " at " + job.name(job.root(shard));
            check(strategy, degree, depth, job, receivers(job, shard), from);
        }
    }

    /** The name of a strategy with its limits, as on a command line. */
    static String named(String word, int degree, int depth) {
        return word + ":" + degree + (depth == 0 ? "" : "," + depth);
    }
}
