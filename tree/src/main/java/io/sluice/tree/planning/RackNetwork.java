package io.sluice.tree.planning;

import io.sluice.tree.topology.Topology;

/**
 * A typical network of a data centre: racks of equal hosts, and uplinks of racks that carry less than their hosts could
 * send.
 *
 * @param hosts            hosts in all, 1 or more
 * @param rackHosts        hosts at one edge switch, 1 or more; the last rack may have fewer
 * @param podRacks         edge switches under one aggregation switch, 1 or more
 * @param rate             bytes per second of each host's uplink and downlink
 * @param oversubscription oversubscription of a rack: ratio of the rate at which its hosts can send together to that of
 *     its uplink; 0 for no limit
 * @param latency          seconds from host to host
 */
public record RackNetwork(
        int hosts, int rackHosts, int podRacks, double rate, double oversubscription, double latency) {

    /** Refuses sizes below 1 and negative oversubscription. */
    public RackNetwork {
        if (hosts < 1 || rackHosts < 1 || podRacks < 1 || !(oversubscription >= 0)) {
            throw new IllegalArgumentException(
                    "a network of " + hosts + " hosts, " + rackHosts + " per rack, " + podRacks
                            + " racks per aggregation switch, oversubscribed " + oversubscription
                            + ", expected 1 or more of each and an oversubscription of 0 or more");
        }
    }

    /**
     * Creates a network of hosts at one switch without limits.
     *
     * @param hosts   1 or more
     * @param rate    bytes per second of each host's uplink and downlink
     * @param latency seconds from host to host
     */
    public static Topology oneSwitch(int hosts, double rate, double latency) {
        return new RackNetwork(hosts, hosts, 1, rate, 0, latency).topology();
    }

    /** Creates the topology: hosts are {@code h0}, {@code h1} and so on, rack by rack. */
    public Topology topology() {
        Topology.Builder builder = new Topology.Builder().latency(latency);
        double uplink = oversubscription > 0 ? rackHosts * rate / oversubscription : Double.POSITIVE_INFINITY;
        int pod = -1;
        int rack = -1;
        for (int host = 0; host < hosts; host++) {
            int racks = host / rackHosts;
            if (host % rackHosts == 0) {
                if (racks % podRacks == 0) {
                    pod = builder.aggregation(
                            "pod" + racks / podRacks, Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY);
                }
                rack = builder.edge(pod, "rack" + racks, uplink, uplink);
            }
            builder.host(rack, "h" + host, rate, rate);
        }
        return builder.build();
    }
}
