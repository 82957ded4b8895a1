package io.sluice.tree.topology;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A network of three tiers: hosts, edge switches (racks), aggregation switches. Hosts and switches are numbered from 0
 * in the order in which they were added.
 *
 * <p>The cost of sending between two hosts is that of the Parameter Flow paper (section 3.4.1): {@value #SAME_EDGE}
 * at the same edge switch, {@value #SAME_AGGREGATION} under the same aggregation switch, {@value #ACROSS} otherwise.
 * If the bandwidth of a pair has been measured, it decides instead: the fastest pair costs {@value #SAME_EDGE}, and
 * a pair with a tenth of its rate costs ten times as much. Sending within a host costs nothing.
 *
 * <p>Immutable.
 */
public final class Topology {
    /** Cost between two hosts at one edge switch. */
    public static final double SAME_EDGE = 0.1;

    /** Cost between two hosts at different edge switches under one aggregation switch. */
    public static final double SAME_AGGREGATION = 0.5;

    /** Cost between two hosts under different aggregation switches. */
    public static final double ACROSS = 1.0;

    /** Maximum number of hosts in a topology. */
    public static final int MOST_HOSTS = 100_000;

    private final List<Host> hosts;
    private final List<Switch> edges;
    private final List<Switch> aggregations;
    private final double latency;
    private final Map<Long, Double> measured;
    private final Map<String, Integer> numbers;
    private final double fastest;

    private Topology(Builder builder) {
        hosts = List.copyOf(builder.hosts);
        edges = List.copyOf(builder.edges);
        aggregations = List.copyOf(builder.aggregations);
        latency = builder.latency;
        measured = Map.copyOf(builder.measured);
        numbers = Map.copyOf(builder.hostNumbers);
        fastest = measured.values().stream()
                .mapToDouble(Double::doubleValue)
                .max()
                .orElse(0);
    }

    /** All hosts, by number. */
    public List<Host> hosts() {
        return hosts;
    }

    /** All edge switches, by number. */
    public List<Switch> edges() {
        return edges;
    }

    /** All aggregation switches, by number. */
    public List<Switch> aggregations() {
        return aggregations;
    }

    /** Number of seconds that a datagram takes from one host to another, in addition to the time on its links. */
    public double latency() {
        return latency;
    }

    /** Number of ordered pairs of hosts with measured bandwidth. */
    public int measuredPairs() {
        return measured.size();
    }

    /**
     * Bandwidth that has been measured from one host to another.
     *
     * @param from sending host
     * @param to   receiving host
     * @return bytes per second, 0 if it has not been measured in this direction
     */
    public double measuredRate(int from, int to) {
        return measured.getOrDefault(pair(from, to), 0.0);
    }

    /**
     * Whether there is a host.
     *
     * @param name name of the host
     */
    public boolean hasHost(String name) {
        return numbers.containsKey(name);
    }

    /**
     * Number of the aggregation switch above a host.
     *
     * @param host number of the host
     */
    public int aggregationOf(int host) {
        return edges.get(hosts.get(host).edge()).above();
    }

    /**
     * Number of a host.
     *
     * @param name name of the host
     * @throws IllegalArgumentException if no host has that name
     */
    public int host(String name) {
        Integer number = numbers.get(name);
        if (number == null) {
            throw new IllegalArgumentException(
                    "host '" + name + "' is not in the topology, expected one of its " + hosts.size());
        }
        return number;
    }

    /**
     * Cost of sending between two hosts.
     *
     * @param from sending host
     * @param to   receiving host
     * @return 0 within a host, otherwise more than 0
     */
    public double cost(int from, int to) {
        if (from == to) {
            return 0;
        }
        double rate = pathRate(from, to);
        if (rate < Double.POSITIVE_INFINITY) {
            return SAME_EDGE * fastest / rate;
        }
        int fromEdge = hosts.get(from).edge();
        int toEdge = hosts.get(to).edge();
        if (fromEdge == toEdge) {
            return SAME_EDGE;
        }
        return edges.get(fromEdge).above() == edges.get(toEdge).above() ? SAME_AGGREGATION : ACROSS;
    }

    /**
     * The measured rate of the path between two hosts, in this direction, or otherwise in the other.
     *
     * @param from sending host
     * @param to   receiving host
     * @return bytes per second; infinite if it was not measured
     */
    public double pathRate(int from, int to) {
        if (measured.isEmpty()) {
            return Double.POSITIVE_INFINITY;
        }
        Double rate = measured.get(pair(from, to));
        return rate == null ? measured.getOrDefault(pair(to, from), Double.POSITIVE_INFINITY) : rate;
    }

    private static long pair(int from, int to) {
        return (long) from << Integer.SIZE | to;
    }

    /** Builds a topology. Every method refuses wrong arguments and names them in the message. */
    public static final class Builder {
        private static final double LEAST_RATE = 125;
        private static final double MOST_RATE = 1e15;

        private final List<Host> hosts = new ArrayList<>();
        private final List<Switch> edges = new ArrayList<>();
        private final List<Switch> aggregations = new ArrayList<>();
        private final Map<String, Integer> hostNumbers = new HashMap<>();
        private final Set<String> switchNames = new HashSet<>();
        private final Map<Long, Double> measured = new HashMap<>();
        private double latency;

        /** Creates a builder without hosts. */
        public Builder() {}

        /**
         * Sets the latency between two hosts, which is 0 otherwise.
         *
         * @param seconds one way, 0 to 10
         */
        public Builder latency(double seconds) {
            if (!(seconds >= 0 && seconds <= 10)) {
                throw new IllegalArgumentException("latency is " + seconds + " s, expected 0 to 10");
            }
            latency = seconds;
            return this;
        }

        /**
         * Adds an aggregation switch.
         *
         * @param name     name, unique among aggregation switches
         * @param uplink   bytes per second to the core; infinite if nothing limits them
         * @param downlink bytes per second from the core
         * @return number of the aggregation switch
         */
        public int aggregation(String name, double uplink, double downlink) {
            return add(aggregations, "aggregation", name, -1, uplink, downlink);
        }

        /**
         * Adds an edge switch.
         *
         * @param aggregation number of the switch above it
         * @param name        name, unique among edge switches
         * @param uplink      bytes per second to the switch above; infinite if nothing limits them
         * @param downlink    bytes per second from the switch above
         * @return number of the edge switch
         */
        public int edge(int aggregation, String name, double uplink, double downlink) {
            return add(edges, "edge", name, aggregation, uplink, downlink);
        }

        /**
         * Adds a host.
         *
         * @param edge     number of its edge switch
         * @param name     name, unique among hosts
         * @param uplink   bytes per second that it can send, 125 (1 kbit/s) or more
         * @param downlink bytes per second that it can receive, 125 or more
         * @return number of the host
         */
        public int host(int edge, String name, double uplink, double downlink) {
            inRange("host " + name + ": uplink", uplink, MOST_RATE);
            inRange("host " + name + ": downlink", downlink, MOST_RATE);
            if (hosts.size() == MOST_HOSTS) {
                throw new IllegalArgumentException(
                        "host " + name + " is one too many, expected up to " + MOST_HOSTS + " hosts");
            }
            if (hostNumbers.putIfAbsent(name, hosts.size()) != null) {
                throw new IllegalArgumentException("host " + name + " is named twice, expected once");
            }
            hosts.add(new Host(name, edge, uplink, downlink));
            return hosts.size() - 1;
        }

        /**
         * Sets the measured bandwidth from one host to another, and in the other direction unless that is set as well.
         *
         * @param from sending host
         * @param to   receiving host
         * @param rate bytes per second
         */
        public Builder measured(String from, String to, double rate) {
            String what = "bandwidth from " + from + " to " + to;
            inRange(what, rate, MOST_RATE);
            long pair = pair(number(what, from), number(what, to));
            if (from.equals(to)) {
                throw new IllegalArgumentException(what + " is within a host, expected two hosts");
            }
            if (measured.putIfAbsent(pair, rate) != null) {
                throw new IllegalArgumentException(what + " is given twice, expected once");
            }
            return this;
        }

        private int number(String what, String host) {
            Integer number = hostNumbers.get(host);
            if (number == null) {
                throw new IllegalArgumentException(
                        what + ": host '" + host + "' is at no edge switch, expected one of the " + hosts.size());
            }
            return number;
        }

        private int add(List<Switch> switches, String kind, String name, int above, double uplink, double downlink) {
            inRange(kind + " " + name + ": uplink", uplink, Double.POSITIVE_INFINITY);
            inRange(kind + " " + name + ": downlink", downlink, Double.POSITIVE_INFINITY);
            if (!switchNames.add(kind + ' ' + name)) {
                throw new IllegalArgumentException(kind + " " + name + " is named twice, expected once");
            }
            switches.add(new Switch(name, above, uplink, downlink));
            return switches.size() - 1;
        }

        private static void inRange(String what, double rate, double most) {
            if (!(rate >= LEAST_RATE && rate <= most)) {
                throw new IllegalArgumentException(
                        what + " is " + rate * Byte.SIZE + " bit/s, expected 1kbit or more, and up to 8000tbit");
            }
        }

        /**
         * Creates the topology.
         *
         * @throws IllegalArgumentException if there is no host, or a switch with nothing below it
         */
        public Topology build() {
            boolean[] used = new boolean[edges.size()];
            hosts.forEach(host -> used[host.edge()] = true);
            boolean[] above = new boolean[aggregations.size()];
            for (int edge = 0; edge < used.length; edge++) {
                if (!used[edge]) {
                    throw new IllegalArgumentException(
                            "edge " + edges.get(edge).name() + " has no hosts, expected one or more");
                }
                above[edges.get(edge).above()] = true;
            }
            for (int i = 0; i < above.length; i++) {
                if (!above[i]) {
                    throw new IllegalArgumentException(
                            "aggregation " + aggregations.get(i).name() + " has no edges, expected one or more");
                }
            }
            if (hosts.isEmpty()) {
                throw new IllegalArgumentException("the topology has no hosts, expected one or more");
            }
            return new Topology(this);
        }
    }

    /**
     * A machine with one link to its edge switch.
     *
     * @param name     name, unique among hosts
     * @param edge     number of its edge switch
     * @param uplink   bytes per second that it can send
     * @param downlink bytes per second that it can receive
     */
    public record Host(String name, int edge, double uplink, double downlink) {}

    /**
     * An edge or aggregation switch. Hosts below one reach each other without using its uplink.
     *
     * @param name     name, unique among the switches of its kind
     * @param above    number of the aggregation switch above an edge switch; -1 for an aggregation switch
     * @param uplink   bytes per second from below it to the rest of the network; infinite if nothing limits them
     * @param downlink bytes per second from the rest of the network to below it; infinite if nothing limits them
     */
    public record Switch(String name, int above, double uplink, double downlink) {}
}
