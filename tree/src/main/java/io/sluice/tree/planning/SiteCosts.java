package io.sluice.tree.planning;

import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.topology.Topology;
import java.util.Arrays;

/** Costs between the sites of a job, in arrays for fast search. Node {@code sites} represents all servers together. */
final class SiteCosts {
    private final BroadcastJob job;
    private final boolean measured;
    private final int[] edges;
    private final int[] aggregations;
    private final double[] fromServers;

    SiteCosts(BroadcastJob job) {
        this.job = job;
        this.measured = job.topology().measuredPairs() > 0;
        this.edges = new int[job.sites()];
        this.aggregations = new int[job.sites()];
        this.fromServers = new double[job.sites()];
        Arrays.setAll(edges, job::edge);
        Arrays.setAll(aggregations, job::aggregation);
        for (int shard = 0; shard < job.shards(); shard++) {
            for (int site = 0; site < fromServers.length; site++) {
                fromServers[site] += job.cost(job.root(shard), site);
            }
        }
    }

    /** Number of the node that represents all servers. */
    int servers() {
        return edges.length;
    }

    int edge(int site) {
        return edges[site];
    }

    int aggregation(int site) {
        return aggregations[site];
    }

    /**
     * Cost of a hop.
     *
     * @param from a site, or {@link #servers}: then the sum of the costs from each server
     * @param to   another site
     */
    double of(int from, int to) {
        if (from == edges.length) {
            return fromServers[to];
        }
        if (measured) {
            return job.cost(from, to);
        }
        if (edges[from] == edges[to]) {
            return from == to ? 0 : Topology.SAME_EDGE;
        }
        return aggregations[from] == aggregations[to] ? Topology.SAME_AGGREGATION : Topology.ACROSS;
    }
}
