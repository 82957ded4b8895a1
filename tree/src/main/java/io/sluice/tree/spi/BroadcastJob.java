package io.sluice.tree.spi;

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
 * <p>In a job {@link #withPushes} workers push while servers broadcast: as many bytes of a shard as the shard has, or a
 * stated share of them.
 *
 * <p>Immutable, except for the arrays, which belong to the job: callers must not change them.
 */
public final class BroadcastJob {
    private final Sites sites;
    private final long[] shardBytes;
    private final int frameBytes;
    private final long seed;
    private final double pushShare;

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
        this(Sites.of(topology, serverHosts, workerHosts), shardBytes.clone(), frameBytes, seed, 0);
        if (serverHosts.length == 0 || workerHosts.length == 0 || shardBytes.length != serverHosts.length) {
            throw new IllegalArgumentException("a broadcast from " + serverHosts.length + " servers with "
                    + shardBytes.length + " shards to " + workerHosts.length
                    + " workers, expected 1 or more of each, and a shard for each server");
        }
        if (Arrays.stream(shardBytes).anyMatch(bytes -> bytes < 1) || frameBytes < 1) {
            throw new IllegalArgumentException("shards are " + Arrays.toString(shardBytes) + " bytes and frames "
                    + frameBytes + " bytes, expected 1 or more each");
        }
    }

    private BroadcastJob(Sites sites, long[] shardBytes, int frameBytes, long seed, double pushShare) {
        this.sites = sites;
        this.shardBytes = shardBytes;
        this.frameBytes = frameBytes;
        this.seed = seed;
        this.pushShare = pushShare;
    }

    /** The same broadcasts while each worker pushes as many bytes as it receives. */
    public BroadcastJob withPushes() {
        return withPushes(1);
    }

    /** The broadcasts alone. */
    public BroadcastJob withoutPushes() {
        return withPushes(0);
    }

    /**
     * The same broadcasts while all workers push.
     *
     * @param share bytes that a worker pushes to a server, over the bytes of its shard; 0 or more
     */
    public BroadcastJob withPushes(double share) {
        return share == pushShare ? this : new BroadcastJob(sites, shardBytes, frameBytes, seed, share);
    }

    /** The network. */
    public Topology topology() {
        return sites.topology;
    }

    /** Number of hosts with a server or a worker. */
    public int sites() {
        return sites.hosts.length;
    }

    /** Index in the topology of the host of a site. */
    public int host(int site) {
        return sites.hosts[site];
    }

    /** Name of a site's host. */
    public String name(int site) {
        return sites.topology.hosts().get(sites.hosts[site]).name();
    }

    /** Index in the topology of the edge switch of a site. */
    public int edge(int site) {
        return sites.edges[site];
    }

    /** Index in the topology of the aggregation switch of a site. */
    public int aggregation(int site) {
        return sites.aggregations[site];
    }

    /** Bytes per second that a site can send. */
    public double uplink(int site) {
        return sites.uplinks[site];
    }

    /** Bytes per second that a site can receive. */
    public double downlink(int site) {
        return sites.downlinks[site];
    }

    /** Measured bytes per second of the path between two sites; infinite if it was not measured. */
    public double pathRate(int from, int to) {
        return sites.topology.pathRate(sites.hosts[from], sites.hosts[to]);
    }

    /** Cost of sending from one site to another. */
    public double cost(int from, int to) {
        return sites.topology.cost(sites.hosts[from], sites.hosts[to]);
    }

    /** Number of shards, which is the number of servers. */
    public int shards() {
        return sites.roots.length;
    }

    /** The site of a server. */
    public int root(int shard) {
        return sites.roots[shard];
    }

    /** Number of bytes of a server's shard. */
    public long shardBytes(int shard) {
        return shardBytes[shard];
    }

    /** Number of bytes of all shards. */
    public long bytes() {
        return Arrays.stream(shardBytes).sum();
    }

    /** Whether a site has workers. */
    public boolean hasWorkers(int site) {
        return sites.workers[site] > 0;
    }

    /** Number of workers of a site. */
    public int workers(int site) {
        return sites.workers[site];
    }

    /** Whether a site needs a shard: it has workers but not that shard's server. */
    public boolean receives(int shard, int site) {
        return hasWorkers(site) && site != sites.roots[shard];
    }

    /** Number of sites that need a shard. */
    public int receivers(int shard) {
        return sites.receivers - (hasWorkers(sites.roots[shard]) ? 1 : 0);
    }

    /** Whether workers push while servers broadcast. */
    public boolean hasPushes() {
        return pushShare > 0;
    }

    /** Number of bytes that the workers of a site push to a server over the network. */
    public long pushBytes(int shard, int site) {
        return site == sites.roots[shard] ? 0 : (long) (pushShare * sites.workers[site] * shardBytes[shard]);
    }

    /** Number of bytes that a relay receives before it forwards them. */
    public int frameBytes() {
        return frameBytes;
    }

    /** Seed of randomised planners. */
    public long seed() {
        return seed;
    }

    /**
     * The sites, and the values of each that planners read often.
     *
     * @param hosts     by site, the number of its host
     * @param workers   by site, the number of its workers
     * @param roots     by server, its site
     * @param receivers number of sites with workers
     */
    private record Sites(
            Topology topology,
            int[] hosts,
            int[] edges,
            int[] aggregations,
            double[] uplinks,
            double[] downlinks,
            int[] workers,
            int[] roots,
            int receivers) {
        static Sites of(Topology topology, int[] serverHosts, int[] workerHosts) {
            List<Topology.Host> all = topology.hosts();
            int[] working = new int[all.size()];
            boolean[] used = new boolean[working.length];
            Arrays.stream(workerHosts).forEach(host -> working[host]++);
            Arrays.stream(workerHosts).forEach(host -> used[host] = true);
            Arrays.stream(serverHosts).forEach(host -> used[host] = true);
            int[] hosts = byRack(topology, used);
            int[] sites = new int[working.length];
            for (int site = 0; site < hosts.length; site++) {
                sites[hosts[site]] = site;
            }
            int[] workers = Arrays.stream(hosts).map(host -> working[host]).toArray();
            return new Sites(
                    topology,
                    hosts,
                    Arrays.stream(hosts).map(host -> all.get(host).edge()).toArray(),
                    Arrays.stream(hosts).map(topology::aggregationOf).toArray(),
                    Arrays.stream(hosts)
                            .mapToDouble(host -> all.get(host).uplink())
                            .toArray(),
                    Arrays.stream(hosts)
                            .mapToDouble(host -> all.get(host).downlink())
                            .toArray(),
                    workers,
                    Arrays.stream(serverHosts).map(host -> sites[host]).toArray(),
                    (int) Arrays.stream(workers).filter(count -> count > 0).count());
        }

        /** Sorts hosts by edge switch, by counting. Edge switches of one aggregation switch are adjacent. */
        private static int[] byRack(Topology topology, boolean[] used) {
            List<Topology.Host> hosts = topology.hosts();
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
    }
}
