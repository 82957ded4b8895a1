package io.sluice.tree.planning;

import io.sluice.tree.topology.Topology;

/**
 * The hosts of the servers and workers, by number.
 *
 * @param servers host of each server
 * @param workers host of each worker
 */
public record Placement(int[] servers, int[] workers) {
    /**
     * Spreads servers evenly over the hosts, and puts workers on the other hosts in order, or on all hosts in turn if
     * the others are too few.
     *
     * @param topology topology that has the hosts
     * @param servers  1 or more; more than there are hosts share them
     * @param workers  1 or more
     */
    public static Placement spread(Topology topology, int servers, int workers) {
        int hosts = topology.hosts().size();
        boolean[] taken = new boolean[hosts];
        int[] serverHosts = new int[servers];
        for (int server = 0; server < servers; server++) {
            serverHosts[server] = (int) ((long) server * hosts / servers);
            taken[serverHosts[server]] = true;
        }
        int[] workerHosts = new int[workers];
        int count = 0;
        for (int host = 0; host < hosts && count < workers; host++) {
            if (!taken[host]) {
                workerHosts[count++] = host;
            }
        }
        for (int i = 0; count < workers; i++) {
            workerHosts[count++] = i % hosts;
        }
        return new Placement(serverHosts, workerHosts);
    }

    /**
     * Splits bytes evenly among servers.
     *
     * @param bytes   bytes in all, as many as servers or more
     * @param servers 1 or more
     * @return bytes of each shard; the first shards have one byte more if the division leaves a remainder
     */
    public static long[] shards(long bytes, int servers) {
        long[] shards = new long[servers];
        for (int i = 0; i < servers; i++) {
            shards[i] = bytes / servers + (i < bytes % servers ? 1 : 0);
        }
        return shards;
    }
}
