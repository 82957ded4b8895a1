package io.sluice.tree;

import io.sluice.tree.topology.Topology;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The load of a cluster's network by one broadcast of all trees: uplinks of hosts, links of switches, and measured
 * paths. It leaves out downlinks of hosts, because a node receives the same bytes from any sender.
 *
 * <p>Nodes that share memory share their host's links; otherwise each node of a host has an equal part of them, as in
 * the plan.
 */
final class LinkLoads {
    private final Topology topology;

    /** For each node, the number of its host. */
    private final Map<Integer, Integer> hosts = new HashMap<>();

    private final double[] up;
    private final double[] edgeUp;
    private final double[] edgeDown;
    private final double[] aggregationUp;
    private final double[] aggregationDown;
    private final Map<Long, Double> paths = new HashMap<>();

    /**
     * Begins with links that carry nothing.
     *
     * @param network      network between the hosts
     * @param servers      all servers
     * @param workers      all workers
     * @param sharedMemory whether nodes of one host share memory
     */
    LinkLoads(SiteNetwork network, List<Place> servers, List<Place> workers, boolean sharedMemory) {
        Map<String, Place> sites = new LinkedHashMap<>();
        servers.forEach(server -> sites.putIfAbsent(server.site(sharedMemory), server));
        workers.forEach(worker -> sites.putIfAbsent(worker.site(sharedMemory), worker));
        topology = network.between(sites);
        servers.forEach(server -> hosts.put(server.node(), topology.host(server.site(sharedMemory))));
        workers.forEach(worker -> hosts.put(worker.node(), topology.host(worker.site(sharedMemory))));
        up = new double[topology.hosts().size()];
        edgeUp = new double[topology.edges().size()];
        edgeDown = new double[edgeUp.length];
        aggregationUp = new double[topology.aggregations().size()];
        aggregationDown = new double[aggregationUp.length];
    }

    /** Resets all loads to 0. */
    void clear() {
        for (double[] links : List.of(up, edgeUp, edgeDown, aggregationUp, aggregationDown)) {
            Arrays.fill(links, 0);
        }
        paths.clear();
    }

    /**
     * Adds the load of one hop.
     *
     * @param from  sending node
     * @param to    receiving node
     * @param bytes bytes of the tree
     */
    void add(int from, int to, long bytes) {
        int sender = hosts.get(from);
        int receiver = hosts.get(to);
        up[sender] += bytes;
        if (edge(sender) != edge(receiver)) {
            edgeUp[edge(sender)] += bytes;
            edgeDown[edge(receiver)] += bytes;
        }
        if (topology.aggregationOf(sender) != topology.aggregationOf(receiver)) {
            aggregationUp[topology.aggregationOf(sender)] += bytes;
            aggregationDown[topology.aggregationOf(receiver)] += bytes;
        }
        if (topology.pathRate(sender, receiver) < Double.POSITIVE_INFINITY) {
            paths.merge(path(sender, receiver), (double) bytes, Double::sum);
        }
    }

    /**
     * Number of seconds for which the busiest link between two nodes would be busy if one also sent to the other.
     *
     * @param from  sending node
     * @param to    receiving node
     * @param bytes bytes to add to the load of the links
     */
    double secondsWith(int from, int to, long bytes) {
        int sender = hosts.get(from);
        int receiver = hosts.get(to);
        double seconds = (up[sender] + bytes) / topology.hosts().get(sender).uplink();
        if (edge(sender) != edge(receiver)) {
            Topology.Switch out = topology.edges().get(edge(sender));
            Topology.Switch in = topology.edges().get(edge(receiver));
            seconds = Math.max(seconds, (edgeUp[edge(sender)] + bytes) / out.uplink());
            seconds = Math.max(seconds, (edgeDown[edge(receiver)] + bytes) / in.downlink());
        }
        int above = topology.aggregationOf(sender);
        int other = topology.aggregationOf(receiver);
        if (above != other) {
            Topology.Switch out = topology.aggregations().get(above);
            Topology.Switch in = topology.aggregations().get(other);
            seconds = Math.max(seconds, (aggregationUp[above] + bytes) / out.uplink());
            seconds = Math.max(seconds, (aggregationDown[other] + bytes) / in.downlink());
        }
        double carried = paths.getOrDefault(path(sender, receiver), 0.0);
        return Math.max(seconds, (carried + bytes) / topology.pathRate(sender, receiver));
    }

    /** Number of seconds for which the busiest link is busy. */
    double busiestSeconds() {
        double seconds = 0;
        for (int host = 0; host < up.length; host++) {
            seconds = Math.max(seconds, up[host] / topology.hosts().get(host).uplink());
        }
        seconds = Math.max(seconds, busiest(topology.edges(), edgeUp, edgeDown));
        seconds = Math.max(seconds, busiest(topology.aggregations(), aggregationUp, aggregationDown));
        for (Map.Entry<Long, Double> path : paths.entrySet()) {
            long pair = path.getKey();
            seconds = Math.max(seconds, path.getValue() / topology.pathRate((int) (pair >> Integer.SIZE), (int) pair));
        }
        return seconds;
    }

    private static double busiest(List<Topology.Switch> switches, double[] ups, double[] downs) {
        double seconds = 0;
        for (int i = 0; i < ups.length; i++) {
            Topology.Switch device = switches.get(i);
            seconds = Math.max(seconds, Math.max(ups[i] / device.uplink(), downs[i] / device.downlink()));
        }
        return seconds;
    }

    /** Rate of a node's uplink in bytes per second. */
    double uplink(int node) {
        return topology.hosts().get(hosts.get(node)).uplink();
    }

    /** Cost of sending from one node to another, as planners count it. */
    double cost(int from, int to) {
        return topology.cost(hosts.get(from), hosts.get(to));
    }

    private int edge(int number) {
        Topology.Host host = topology.hosts().get(number);
        return host.edge();
    }

    private static long path(int from, int to) {
        return (long) from << Integer.SIZE | to;
    }
}
