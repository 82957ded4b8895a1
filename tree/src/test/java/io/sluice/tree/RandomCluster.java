package io.sluice.tree;

import io.sluice.tree.spi.TreePlanner;
import io.sluice.tree.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** A cluster over a random network, or over one of equal links. */
record RandomCluster(List<Place> servers, List<Place> workers, boolean shared, Topology topology, long[] bytes) {
    private static final double GBIT = 125e6;

    static RandomCluster of(long seed, boolean equal) {
        SplittableRandom random = new SplittableRandom(seed);
        Topology.Builder builder = new Topology.Builder().latency(50e-6);
        int hosts = random.nextInt(8, 30);
        int racks = random.nextInt(1, 5);
        int pods = random.nextInt(1, racks + 1);
        int[] above = new int[pods];
        Arrays.setAll(above, pod -> builder.aggregation("pod" + pod, 20 * GBIT, 20 * GBIT));
        int[] edges = new int[racks];
        double rackRate = equal ? Double.POSITIVE_INFINITY : random.nextInt(2, 20) * GBIT;
        Arrays.setAll(edges, rack -> builder.edge(above[rack % pods], "rack" + rack, rackRate, rackRate));
        for (int host = 0; host < hosts; host++) {
            double rate = equal ? GBIT : random.nextInt(2, 21) * GBIT / 10;
            builder.host(edges[host < racks ? host : random.nextInt(racks)], "h" + host, rate, rate);
        }
        if (!equal && random.nextInt(4) == 0) {
            int from = random.nextInt(hosts - 1);
            builder.measured("h" + from, "h" + (from + 1), random.nextInt(1, 11) * GBIT / 10);
        }
        boolean shared = random.nextBoolean();
        int servers = random.nextInt(1, 5);
        List<Place> serving = new ArrayList<>();
        List<Place> working = new ArrayList<>();
        for (int node = 0; node < servers; node++) {
            serving.add(TreeRepairNetworkTest.place(node, equal ? node : random.nextInt(hosts)));
        }
        int workers = random.nextInt(3, hosts - servers + 1);
        for (int node = servers; node < servers + workers; node++) {
            working.add(TreeRepairNetworkTest.place(node, equal ? node : random.nextInt(hosts)));
        }
        long[] bytes = new long[servers];
        Arrays.setAll(bytes, shard -> equal ? 1 << 25 : random.nextLong(1 << 10, 1 << 26));
        return new RandomCluster(serving, working, !equal && shared, builder.build(), bytes);
    }

    List<BroadcastTree> planned(TreePlanner planner, List<Place> living) {
        return BroadcastPlan.of(planner, servers, living, shared, bytes, 1 << 16, SiteNetwork.of(topology));
    }

    TreeRepair repair(TreePlanner planner) {
        return repair(planner.limits());
    }

    TreeRepair repair(TreePlanner.Limits limits) {
        return new TreeRepair(servers, workers, shared, SiteNetwork.of(topology), limits);
    }

    int host(int node) {
        Place place = node < servers.size() ? servers.get(node) : workers.get(node - servers.size());
        return topology.host(place.host());
    }

    /** Number of parts of a host's rate: nodes that do not share memory are sites of their own. */
    private long parts(int host) {
        long here = 0;
        for (int node = 0; node < servers.size() + workers.size(); node++) {
            here += host(node) == host ? 1 : 0;
        }
        return shared ? 1 : here;
    }

    /** Rate of each link that a hop takes, by its name. */
    Map<String, Double> links(int from, int to) {
        int sender = host(from);
        int receiver = host(to);
        Map<String, Double> links = new HashMap<>();
        links.put(
                "up " + (shared ? "host " + sender : "node " + from),
                topology.hosts().get(sender).uplink() / parts(sender));
        int out = topology.hosts().get(sender).edge();
        int in = topology.hosts().get(receiver).edge();
        if (out != in) {
            links.put("rack up " + out, topology.edges().get(out).uplink());
            links.put("rack down " + in, topology.edges().get(in).downlink());
        }
        int podOut = topology.aggregationOf(sender);
        int podIn = topology.aggregationOf(receiver);
        if (podOut != podIn) {
            links.put("pod up " + podOut, topology.aggregations().get(podOut).uplink());
            links.put("pod down " + podIn, topology.aggregations().get(podIn).downlink());
        }
        if (sender != receiver && topology.pathRate(sender, receiver) < Double.POSITIVE_INFINITY) {
            String ends = shared ? sender + " " + receiver : from + " " + to;
            links.put("path " + ends, topology.pathRate(sender, receiver));
        }
        return links;
    }

    /** The time for which the busiest link is busy, without hops from and to a node. */
    double finish(List<BroadcastTree> trees, int without) {
        Map<String, Double> seconds = new HashMap<>();
        for (BroadcastTree tree : trees) {
            for (Hop hop : tree.hops()) {
                if (!hop.sharedMemory() && hop.from() != without && !hop.to().contains(without)) {
                    links(hop.from(), hop.to().getFirst())
                            .forEach((link, rate) -> seconds.merge(link, tree.bytes() / rate, Double::sum));
                }
            }
        }
        return seconds.values().stream().mapToDouble(Double::doubleValue).max().orElse(0);
    }
}
