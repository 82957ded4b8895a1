package io.sluice.tree.planning;

import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.topology.Topology;
import java.util.HashMap;
import java.util.Map;

/**
 * A lower bound on the objective of {@link CheapestTreePlanner}: it counts one hop into each aggregation switch, one
 * into each other edge switch, one to each other site from its rack or from the servers, and the fewest leaves that
 * depth and degree allow. If bandwidth has been measured, it counts the cheapest hop into each site. The bound is
 * not always attainable.
 */
public final class CheapestTreeBound {
    private final BroadcastJob job;
    private final SiteCosts costs;

    private CheapestTreeBound(BroadcastJob job) {
        this.job = job;
        this.costs = new SiteCosts(job);
    }

    /**
     * Computes the bound of a job.
     *
     * @param job         job to be planned
     * @param degree      maximum number of children, T
     * @param depth       maximum number of hops, H; 0 for no limit
     * @param leafPenalty alpha, the penalty of a leaf
     * @return the bound, in the unit of the costs
     */
    public static double of(BroadcastJob job, int degree, int depth, double leafPenalty) {
        CheapestTreeBound bound = new CheapestTreeBound(job);
        int sites = 0;
        for (int site = 0; site < job.sites(); site++) {
            sites += job.hasWorkers(site) ? 1 : 0;
        }
        double hops = job.topology().measuredPairs() > 0 ? bound.cheapestHops() : bound.entrances();
        return hops + leafPenalty * leaves(sites, degree, depth);
    }

    private double cheapestHops() {
        double sum = 0;
        for (int site = 0; site < job.sites(); site++) {
            if (job.hasWorkers(site)) {
                double least = costs.of(costs.servers(), site);
                for (int from = 0; from < job.sites(); from++) {
                    least = from != site && job.hasWorkers(from) ? Math.min(least, costs.of(from, site)) : least;
                }
                sum += least;
            }
        }
        return sum;
    }

    private double entrances() {
        Map<Integer, Double> rackEntries = new HashMap<>();
        Map<Integer, Double> podEntries = new HashMap<>();
        double least = Double.POSITIVE_INFINITY;
        for (int site = 0; site < job.sites(); site++) {
            if (job.hasWorkers(site)) {
                double fromServers = costs.of(costs.servers(), site);
                least = Math.min(least, fromServers);
                rackEntries.merge(costs.edge(site), Math.min(Topology.SAME_AGGREGATION, fromServers), Math::min);
                podEntries.merge(costs.aggregation(site), Math.min(Topology.ACROSS, fromServers), Math::min);
            }
        }
        double sum = Math.max(0, least - Topology.ACROSS);
        Map<Integer, Double> dearest = new HashMap<>();
        boolean[] counted = new boolean[job.topology().edges().size()];
        for (int site = 0; site < job.sites(); site++) {
            int edge = costs.edge(site);
            if (job.hasWorkers(site) && counted[edge]) {
                sum += Math.min(Topology.SAME_EDGE, costs.of(costs.servers(), site));
            } else if (job.hasWorkers(site)) {
                counted[edge] = true;
                sum += rackEntries.get(edge);
                dearest.merge(costs.aggregation(site), rackEntries.get(edge), Math::max);
            }
        }
        for (Map.Entry<Integer, Double> pod : podEntries.entrySet()) {
            sum += Math.max(0, pod.getValue() - dearest.get(pod.getKey()));
        }
        return sum;
    }

    /**
     * Minimum number of leaves of a tree. The first chains start at the root's children; each further leaf ends a chain
     * that branches off, with more sites of its own the nearer it branches off to the root.
     *
     * @param sites  sites in the tree, the root left out
     * @param degree maximum number of children
     * @param depth  maximum number of hops; 0 for no limit
     */
    static int leaves(int sites, int degree, int depth) {
        if (depth == 0) {
            return 1;
        }
        long left = sites;
        long leaves = 0;
        long branches = degree;
        for (int own = depth; own > 0 && left > 0; own--) {
            long here = Math.min(branches, (left + own - 1) / own);
            leaves += here;
            left -= here * own;
            branches = Math.min(Integer.MAX_VALUE, (leaves * (degree - 1L)));
        }
        return (int) leaves;
    }
}
