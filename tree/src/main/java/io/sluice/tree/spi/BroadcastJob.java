package io.sluice.tree.spi;

import io.sluice.tree.topology.Host;
import io.sluice.tree.topology.Topology;
import java.util.Arrays;
import java.util.List;

/**
 * The broadcast of each server's shard to every worker, as the input of a planner.
 *
 * <p>A plan connects <em>sites</em>: the hosts that have a server or a worker. Workers of one host share one copy of a
 * shard, so the network carries it once; a worker on the host of a server needs no copy of that server's shard. Sites
 * are numbered from 0, rack by rack: by aggregation switch, then edge switch, then host.
 *
 * <p>In a job {@link #withPushes} workers push while servers broadcast, and each worker pushes as many bytes of a shard
 * as the shard has.
 *
 * <p>Immutable, except for the arrays, which belong to the job: callers must not change them.
 */
public final class BroadcastJob {
    private final Topology topology;
    private final int[] siteHosts;

    /** By site, values that planners read often. */
    private final int[] edges;

    private final int[] aggregations;
    private final double[] uplinks;
    private final double[] downlinks;
    private final int[] roots;
    private final int[] workers;
    private final int receivers;
    private final long[] shardBytes;
    private final int frameBytes;
    private final long seed;
    private final boolean pushes;

    /**
     * Describes a job without pushes.
     *
     * @param topology    topology of the network
     * @param serverHosts host of each server, by number; one or more
     * @param workerHosts host of each worker, by number; one or more
     * @param shardBytes  bytes of each server, 1 or more
     * @param frameBytes  bytes of a frame, 1 or more: a relay receives a whole frame before it forwards it
     * @param seed        seed of randomised planners
     */
    public BroadcastJob(
            Topology topology, int[] serverHosts, int[] workerHosts, long[] shardBytes, int frameBytes, long seed) {
        this.topology = topology;
        this.shardBytes = shardBytes.clone();
        this.frameBytes = frameBytes;
        this.seed = seed;
        if (serverHosts.length == 0 || workerHosts.length == 0 || shardBytes.length != serverHosts.length) {
            throw new IllegalArgumentException("a broadcast from " + serverHosts.length + " servers with "
                    + shardBytes.length + " shards to " + workerHosts.length
                    + " workers, expected 1 or more of each, and a shard for each server");
        }
        if (Arrays.stream(shardBytes).anyMatch(bytes -> bytes < 1) || frameBytes < 1) {
            throw new IllegalArgumentException("a broadcast of shards of " + Arrays.toString(shardBytes)
                    + " bytes in frames of " + frameBytes + " bytes, expected 1 or more");
        }
        int[] working = new int[topology.hosts().size()];
        boolean[] used = new boolean[working.length];
        Arrays.stream(workerHosts).forEach(host -> working[host]++);
        Arrays.stream(workerHosts).forEach(host -> used[host] = true);
        Arrays.stream(serverHosts).forEach(host -> used[host] = true);
        siteHosts = byRack(topology, used);
        List<Host> hosts = topology.hosts();
        edges = Arrays.stream(siteHosts).map(host -> hosts.get(host).edge()).toArray();
        aggregations = Arrays.stream(siteHosts).map(topology::aggregationOf).toArray();
        uplinks = Arrays.stream(siteHosts)
                .mapToDouble(host -> hosts.get(host).uplink())
                .toArray();
        downlinks = Arrays.stream(siteHosts)
                .mapToDouble(host -> hosts.get(host).downlink())
                .toArray();
        int[] sites = new int[working.length];
        workers = new int[siteHosts.length];
        int count = 0;
        for (int site = 0; site < siteHosts.length; site++) {
            sites[siteHosts[site]] = site;
            workers[site] = working[siteHosts[site]];
            count += hasWorkers(site) ? 1 : 0;
        }
        receivers = count;
        roots = Arrays.stream(serverHosts).map(host -> sites[host]).toArray();
        pushes = false;
    }

    private BroadcastJob(BroadcastJob other, boolean pushes) {
        topology = other.topology;
        siteHosts = other.siteHosts;
        edges = other.edges;
        aggregations = other.aggregations;
        uplinks = other.uplinks;
        downlinks = other.downlinks;
        roots = other.roots;
        workers = other.workers;
        receivers = other.receivers;
        shardBytes = other.shardBytes;
        frameBytes = other.frameBytes;
        seed = other.seed;
        this.pushes = pushes;
    }

    /** The same broadcasts while all workers push. */
    public BroadcastJob withPushes() {
        return pushes ? this : new BroadcastJob(this, true);
    }

    /** The broadcasts alone. */
    public BroadcastJob withoutPushes() {
        return pushes ? new BroadcastJob(this, false) : this;
    }

    /** Sorts sites by edge switch, by counting. Edge switches of one aggregation switch are adjacent. */
    private static int[] byRack(Topology topology, boolean[] used) {
        List<Host> hosts = topology.hosts();
        Integer[] edges = new Integer[topology.edges().size()];
        Arrays.setAll(edges, edge -> edge);
        Arrays.sort(
                edges,
                (one, other) -> Integer.compare(
                        topology.edges().get(one).above(),
                        topology.edges().get(other).above()));
        int[] next = new int[edges.length];
        int[] sizes = new int[edges.length];
        for (int host = 0; host < used.length; host++) {
            sizes[hosts.get(host).edge()] += used[host] ? 1 : 0;
        }
        int total = 0;
        for (int edge : edges) {
            next[edge] = total;
            total += sizes[edge];
        }
        int[] sorted = new int[total];
        for (int host = 0; host < used.length; host++) {
            if (used[host]) {
                sorted[next[hosts.get(host).edge()]++] = host;
            }
        }
        return sorted;
    }

    /** The network. */
    public Topology topology() {
        return topology;
    }

    /** Hosts with a server or a worker. */
    public int sites() {
        return siteHosts.length;
    }

    /** Number of a site's host in the topology. */
    public int host(int site) {
        return siteHosts[site];
    }

    /** Name of a site's host. */
    public String name(int site) {
        return topology.hosts().get(siteHosts[site]).name();
    }

    /** Number of a site's edge switch in the topology. */
    public int edge(int site) {
        return edges[site];
    }

    /** Number of a site's aggregation switch in the topology. */
    public int aggregation(int site) {
        return aggregations[site];
    }

    /** Bytes per second that a site can send. */
    public double uplink(int site) {
        return uplinks[site];
    }

    /** Bytes per second that a site can receive. */
    public double downlink(int site) {
        return downlinks[site];
    }

    /** Measured bytes per second of the path between two sites; infinite if it was not measured. */
    public double pathRate(int from, int to) {
        return topology.pathRate(siteHosts[from], siteHosts[to]);
    }

    /** Cost of sending from one site to another. */
    public double cost(int from, int to) {
        return topology.cost(siteHosts[from], siteHosts[to]);
    }

    /** Number of shards, which is that of the servers. */
    public int shards() {
        return roots.length;
    }

    /** Site of a server. */
    public int root(int shard) {
        return roots[shard];
    }

    /** Bytes of a server's shard. */
    public long shardBytes(int shard) {
        return shardBytes[shard];
    }

    /** Bytes of all shards. */
    public long bytes() {
        return Arrays.stream(shardBytes).sum();
    }

    /** Whether a site has workers. */
    public boolean hasWorkers(int site) {
        return workers[site] > 0;
    }

    /** Workers of a site. */
    public int workers(int site) {
        return workers[site];
    }

    /** Whether a site needs a shard: it has workers but not that shard's server. */
    public boolean receives(int shard, int site) {
        return hasWorkers(site) && site != roots[shard];
    }

    /** Number of sites that need a shard. */
    public int receivers(int shard) {
        return receivers - (hasWorkers(roots[shard]) ? 1 : 0);
    }

    /** Whether workers push while servers broadcast. */
    public boolean hasPushes() {
        return pushes;
    }

    /** Bytes that the workers of a site push to a server over the network. */
    public long pushBytes(int shard, int site) {
        return pushes && site != roots[shard] ? workers[site] * shardBytes[shard] : 0;
    }

    /** Bytes that a relay receives before it forwards them. */
    public int frameBytes() {
        return frameBytes;
    }

    /** Seed of randomised planners. */
    public long seed() {
        return seed;
    }
}
