package io.sluice.cli.tree;

import io.sluice.tree.topology.Topology;
import io.sluice.tree.topology.TopologyFile;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Prints a network as text: switches with the hosts below them, and hosts of equal rates in one line. */
final class TopologyText {
    private static final String FORM = "%-36s %12s %12s%s%n";

    private final TopologyFile file;
    private final Topology topology;

    TopologyText(TopologyFile file) {
        this.file = file;
        this.topology = file.topology();
    }

    void print(PrintWriter out) {
        out.printf(
                "%,d hosts, %,d edge switches, %,d aggregation switches, latency %.4g ms, %,d measured pairs%n%n",
                topology.hosts().size(),
                topology.edges().size(),
                topology.aggregations().size(),
                1e3 * topology.latency(),
                topology.measuredPairs());
        out.printf(FORM, "", "uplink", "downlink", "");
        for (int i = 0; i < topology.aggregations().size(); i++) {
            int number = i;
            Topology.Switch aggregation = topology.aggregations().get(i);
            print(out, aggregation.name(), aggregation.uplink(), aggregation.downlink(), "");
            for (int edge = 0; edge < topology.edges().size(); edge++) {
                if (topology.edges().get(edge).above() == number) {
                    printEdge(out, edge);
                }
            }
        }
        printNodes(out, "servers", file.servers());
        printNodes(out, "workers", file.workers());
    }

    private static void print(PrintWriter out, String name, double uplink, double downlink, String remark) {
        out.printf(FORM, name, Rate.text(uplink), Rate.text(downlink), remark);
    }

    private void printEdge(PrintWriter out, int number) {
        Topology.Switch edge = topology.edges().get(number);
        List<Topology.Host> hosts =
                topology.hosts().stream().filter(host -> host.edge() == number).toList();
        double together = hosts.stream().mapToDouble(Topology.Host::uplink).sum();
        String remark =
                together > edge.uplink() ? "  oversubscribed %.3g to 1".formatted(together / edge.uplink()) : "";
        print(out, "  " + edge.name(), edge.uplink(), edge.downlink(), remark);
        List<Topology.Host> alike = new ArrayList<>();
        for (Topology.Host host : hosts) {
            if (!alike.isEmpty() && !sameRates(alike.getFirst(), host)) {
                printHosts(out, alike);
                alike.clear();
            }
            alike.add(host);
        }
        printHosts(out, alike);
    }

    private static boolean sameRates(Topology.Host one, Topology.Host other) {
        return one.uplink() == other.uplink() && one.downlink() == other.downlink();
    }

    private static void printHosts(PrintWriter out, List<Topology.Host> alike) {
        Topology.Host first = alike.getFirst();
        String name = alike.size() == 1
                ? first.name()
                : first.name() + " .. " + alike.getLast().name() + " (" + alike.size() + ")";
        print(out, "    " + name, first.uplink(), first.downlink(), "");
    }

    private void printNodes(PrintWriter out, String what, List<Integer> hosts) {
        if (!hosts.isEmpty()) {
            out.printf(
                    "%n%s: %s",
                    what,
                    hosts.stream()
                            .limit(20)
                            .map(host -> topology.hosts().get(host).name())
                            .collect(Collectors.joining(", ")));
            out.printf(hosts.size() > 20 ? " and %,d more%n" : "%n", hosts.size() - 20);
        }
    }
}
