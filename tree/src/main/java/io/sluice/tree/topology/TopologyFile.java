package io.sluice.tree.topology;

import io.sluice.codecs.Libraries;
import io.sluice.messaging.HostRange;
import io.sluice.messaging.Latency;
import io.sluice.messaging.LinkRate;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * A topology as a user writes it, in YAML (or JSON, which is a subset) and UTF-8. The format is in
 * {@code docs/reference.md}.
 *
 * <p>Needs {@code jackson-dataformat-yaml}, which is an optional dependency of the module.
 *
 * @param topology topology of the network
 * @param servers  hosts of the servers, by number; empty if the file does not name them
 * @param workers  hosts of the workers, by number; empty if the file does not name them
 */
public record TopologyFile(Topology topology, List<Integer> servers, List<Integer> workers) {
    private static final String DEFAULT_RATE = "1gbit";

    /** Copies the lists. */
    public TopologyFile {
        servers = List.copyOf(servers);
        workers = List.copyOf(workers);
    }

    /** The keys that a file may have. */
    record Page(
            LinkPart link,
            String latency,
            List<AggregationPart> aggregations,
            List<EdgePart> edges,
            Map<String, LinkPart> links,
            List<PairPart> bandwidth,
            List<String> servers,
            List<String> workers) {}

    record LinkPart(String uplink, String downlink) {}

    record AggregationPart(String name, String uplink, String downlink, List<EdgePart> edges) {}

    record EdgePart(String name, String uplink, String downlink, List<String> hosts) {}

    record PairPart(String from, String to, String rate) {}

    /**
     * Reads a file.
     *
     * @param file the path
     * @return the topology and roles that it describes
     * @throws IOException if the file cannot be read, is malformed or describes an impossible network; the message
     *     names the file, the fault and what was expected
     * @throws io.sluice.codecs.api.MissingLibraryException without {@code jackson-dataformat-yaml}
     */
    public static TopologyFile read(Path file) throws IOException {
        Libraries.require(
                "a topology file",
                "com.fasterxml.jackson.dataformat:jackson-dataformat-yaml",
                "com.fasterxml.jackson.dataformat.yaml.YAMLFactory");
        Page page = TopologyYaml.parse(file, text(file));
        try {
            return of(page);
        } catch (IllegalArgumentException e) {
            throw new TopologyFormatException(file + ": " + e.getMessage(), e);
        }
    }

    private static String text(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            throw new TopologyFormatException(file + ": is a folder, expected a file", null);
        }
        try {
            return Files.readString(file);
        } catch (CharacterCodingException e) {
            throw new TopologyFormatException(file + ": expected UTF-8 text", e);
        }
    }

    private static TopologyFile of(Page page) {
        Topology.Builder builder = new Topology.Builder();
        if (page.latency != null) {
            builder.latency(Latency.parse("latency", page.latency));
        }
        LinkPart standard = page.link == null ? new LinkPart(null, null) : page.link;
        String uplink = standard.uplink == null ? DEFAULT_RATE : standard.uplink;
        LinkPart link = new LinkPart(uplink, standard.downlink == null ? uplink : standard.downlink);
        Map<String, LinkPart> links = links(page);
        if (page.aggregations == null == (page.edges == null)) {
            throw new IllegalArgumentException("the topology has "
                    + (page.edges == null ? "neither 'aggregations' nor 'edges'" : "both 'aggregations' and 'edges'")
                    + ", expected one of them");
        }
        List<AggregationPart> aggregations = page.aggregations == null
                ? List.of(new AggregationPart("network", null, null, page.edges))
                : page.aggregations;
        for (AggregationPart part : aggregations) {
            String name = "aggregation " + named("an aggregation", null == part ? null : part.name);
            int number = builder.aggregation(
                    part.name, limit(name, "uplink", part.uplink), limit(name, "downlink", down(part)));
            for (EdgePart edge : part.edges == null ? List.<EdgePart>of() : part.edges) {
                addEdge(builder, number, edge, link, links);
            }
        }
        if (!links.isEmpty()) {
            throw new IllegalArgumentException(
                    "links names host " + new TreeSet<>(links.keySet()).first() + ", which is at no edge switch");
        }
        for (PairPart pair : page.bandwidth == null ? List.<PairPart>of() : page.bandwidth) {
            named("'bandwidth'", null == pair ? null : pair.from);
            String what = "bandwidth from " + named("a pair of 'bandwidth' (from)", pair.from) + " to "
                    + named("a pair of 'bandwidth' (to)", pair.to);
            builder.measured(pair.from, pair.to, bytes(what, named(what, pair.rate)));
        }
        Topology topology = builder.build();
        return new TopologyFile(
                topology, numbers(topology, "servers", page.servers), numbers(topology, "workers", page.workers));
    }

    private static Map<String, LinkPart> links(Page page) {
        Map<String, LinkPart> links = new HashMap<>();
        for (Map.Entry<String, LinkPart> entry :
                (page.links == null ? Map.<String, LinkPart>of() : page.links).entrySet()) {
            for (String host : HostRange.expand(named("'links'", entry.getKey()), Topology.MOST_HOSTS)) {
                if (entry.getValue() == null || links.putIfAbsent(host, entry.getValue()) != null) {
                    throw new IllegalArgumentException("links has host " + host
                            + (entry.getValue() == null ? " without rates" : " twice") + ", expected its rates once");
                }
            }
        }
        return links;
    }

    /** Adds the switch and its hosts; removes hosts with rates of their own from {@code links}. */
    private static void addEdge(
            Topology.Builder builder, int aggregation, EdgePart part, LinkPart link, Map<String, LinkPart> links) {
        String name = "edge " + named("an edge", null == part ? null : part.name);
        String downlink = part.downlink == null ? part.uplink : part.downlink;
        int edge = builder.edge(
                aggregation, part.name, limit(name, "uplink", part.uplink), limit(name, "downlink", downlink));
        for (String text : part.hosts == null ? List.<String>of() : part.hosts) {
            for (String host : HostRange.expand(named(name + ", 'hosts'", text), Topology.MOST_HOSTS)) {
                LinkPart own = links.remove(host);
                String up = own == null || own.uplink == null ? link.uplink : own.uplink;
                String down = own == null || own.downlink == null ? link.downlink : own.downlink;
                builder.host(
                        edge, host, bytes("host " + host + ": uplink", up), bytes("host " + host + ": downlink", down));
            }
        }
    }

    private static String down(AggregationPart part) {
        return part.downlink == null ? part.uplink : part.downlink;
    }

    private static String named(String what, String text) {
        if (text == null || text.isBlank()) {
            throw new IllegalArgumentException(what + " has an empty entry, expected a name or a rate");
        }
        return text;
    }

    private static double limit(String what, String side, String rate) {
        return rate == null ? Double.POSITIVE_INFINITY : bytes(what + ": " + side, rate);
    }

    private static double bytes(String what, String rate) {
        return LinkRate.parse(what, rate) / (double) Byte.SIZE;
    }

    private static List<Integer> numbers(Topology topology, String what, List<String> names) {
        List<Integer> numbers = new ArrayList<>();
        for (String text : names == null ? List.<String>of() : names) {
            for (String host : HostRange.expand(named("'" + what + "'", text), Topology.MOST_HOSTS)) {
                try {
                    numbers.add(topology.host(host));
                } catch (IllegalArgumentException e) {
                    throw new IllegalArgumentException(what + ": " + e.getMessage(), e);
                }
            }
        }
        return numbers;
    }
}
