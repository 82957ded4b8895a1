package io.sluice.tree;

import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.api.MessagingException;
import io.sluice.tree.topology.Topology;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The network between the sites of a cluster: a topology that a user has described, or a network of equal hosts.
 *
 * <p>A node is assigned to the host with the name of its machine, with or without the domain, or otherwise to the host
 * with the address on which it listens. Several sites of one host get equal parts of its rates.
 */
public final class SiteNetwork {
    private final Topology described;
    private final double rate;

    private SiteNetwork(Topology described, double rate) {
        this.described = described;
        this.rate = rate;
    }

    /**
     * Creates a network in which all hosts are equal, at one switch.
     *
     * @param rate rate that each host can send and receive, in bytes per second
     */
    public static SiteNetwork equal(double rate) {
        return new SiteNetwork(null, rate);
    }

    /**
     * Creates a network from a topology.
     *
     * @param topology topology with all hosts of the cluster, and perhaps others
     */
    public static SiteNetwork of(Topology topology) {
        return new SiteNetwork(topology, 0);
    }

    /**
     * The host of a node.
     *
     * @param topology topology that describes the network
     * @param node     node of the cluster; the part of its host before a slash is its machine's name
     * @return number of the host
     * @throws IllegalArgumentException if the topology does not have the node's host; the message names the node
     */
    public static int hostOf(Topology topology, Place node) {
        String machine = node.host().split("/", 2)[0];
        String address = address(node.endpoint());
        for (String name : List.of(machine, machine.split("\\.", 2)[0], address)) {
            if (topology.hasHost(name)) {
                return topology.host(name);
            }
        }
        throw new IllegalArgumentException("the topology has neither host '" + machine + "' nor '" + address
                + "', where node " + node.node() + " is: expected one of its "
                + topology.hosts().size() + " hosts");
    }

    private static String address(String endpoint) {
        try {
            return Endpoint.parse(endpoint).host();
        } catch (MessagingException | IllegalArgumentException e) {
            return endpoint; // a node that receives no broadcast
        }
    }

    /** Creates the network of some sites, keyed by the host of their nodes. */
    Topology between(Map<String, Place> sites) {
        return null == described ? equal(sites) : described(sites);
    }

    private Topology equal(Map<String, Place> sites) {
        Topology.Builder topology = new Topology.Builder();
        double any = Double.POSITIVE_INFINITY;
        int edge = topology.edge(topology.aggregation("network", any, any), "network", any, any);
        sites.keySet().forEach(site -> topology.host(edge, site, rate, rate));
        return topology.build();
    }

    private Topology described(Map<String, Place> sites) {
        Map<String, Integer> hosts = new LinkedHashMap<>();
        int[] sharing = new int[described.hosts().size()];
        sites.forEach((site, place) -> {
            int host = hostOf(described, place);
            hosts.put(site, host);
            sharing[host]++;
        });
        Topology.Builder topology = new Topology.Builder().latency(described.latency());
        Map<Integer, Integer> aggregations = new HashMap<>();
        Map<Integer, Integer> edges = new HashMap<>();
        hosts.forEach((site, number) -> {
            Topology.Host host = described.hosts().get(number);
            int edge = edges.computeIfAbsent(host.edge(), old -> addEdge(topology, aggregations, old));
            topology.host(edge, site, host.uplink() / sharing[number], host.downlink() / sharing[number]);
        });
        if (described.measuredPairs() > 0) {
            addMeasured(topology, hosts);
        }
        return topology.build();
    }

    private int addEdge(Topology.Builder topology, Map<Integer, Integer> aggregations, int number) {
        Topology.Switch edge = described.edges().get(number);
        int above = aggregations.computeIfAbsent(edge.above(), old -> {
            Topology.Switch aggregation = described.aggregations().get(old);
            return topology.aggregation(aggregation.name(), aggregation.uplink(), aggregation.downlink());
        });
        return topology.edge(above, edge.name(), edge.uplink(), edge.downlink());
    }

    private void addMeasured(Topology.Builder topology, Map<String, Integer> hosts) {
        List<String> sites = new ArrayList<>(hosts.keySet());
        for (String from : sites) {
            for (String to : sites) {
                double measured = described.measuredRate(hosts.get(from), hosts.get(to));
                if (measured > 0) {
                    topology.measured(from, to, measured);
                }
            }
        }
    }
}
