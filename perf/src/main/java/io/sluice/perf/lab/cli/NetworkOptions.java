package io.sluice.perf.lab.cli;

import io.sluice.messaging.LinkRate;
import io.sluice.perf.lab.LabEvent;
import io.sluice.perf.lab.LabPlan;
import io.sluice.perf.lab.LinkName;
import java.util.List;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import picocli.CommandLine.Option;

/** Options of the network at the start of the job. */
final class NetworkOptions {
    private static final Pattern RANGE = Pattern.compile("(\\d{1,4})-(\\d{1,4})");

    @Option(names = "--hosts", paramLabel = "N", defaultValue = "2", description = "Hosts (${DEFAULT-VALUE}).")
    private int hosts;

    @Option(
            names = "--rate",
            paramLabel = "RATE",
            defaultValue = "1gbit",
            description = "Rate of every host's link, in each direction (${DEFAULT-VALUE}).")
    private String rate;

    @Option(
            names = "--rate-of",
            paramLabel = "LINK=RATE",
            description = "A different rate for some links, in both directions: 2=100mbit, 0,3-5=1gbit, rack1=50mbit.")
    private List<String> rates = List.of();

    @Option(names = "--uplink-of", paramLabel = "LINK=RATE", description = "As --rate-of, into the network only.")
    private List<String> uplinks = List.of();

    @Option(names = "--downlink-of", paramLabel = "LINK=RATE", description = "As --rate-of, from the network only.")
    private List<String> downlinks = List.of();

    @Option(
            names = "--racks",
            paramLabel = "N",
            defaultValue = "0",
            description = "Spread the hosts, in order, over N racks, each with a switch.")
    private int racks;

    @Option(
            names = "--rack-rate",
            paramLabel = "RATE",
            defaultValue = "1gbit",
            description = "Rate between a rack and the core, in each direction (${DEFAULT-VALUE}).")
    private String rackRate;

    @Option(
            names = "--mtu",
            paramLabel = "BYTES",
            defaultValue = "1500",
            description = "Longest IP packet (${DEFAULT-VALUE}); 9000 for jumbo frames.")
    private int mtu;

    @Option(
            names = "--queue",
            paramLabel = "TIME",
            defaultValue = "50ms",
            description = "How long a packet may wait at a full link before packets are dropped (${DEFAULT-VALUE}).")
    private String queue;

    /** Builds and checks the plan. */
    LabPlan plan() {
        LabPlan plan = new LabPlan()
                .hosts(hosts)
                .racks(racks)
                .rate(LinkRate.parse("--rate", rate))
                .rackRate(LinkRate.parse("--rack-rate", rackRate))
                .mtu(mtu)
                .queue(LabEvent.time("--queue", queue))
                .conclude();
        rates.forEach(text -> set(
                "--rate-of", text, plan, (link, bits) -> plan.uplink(link, bits).downlink(link, bits)));
        uplinks.forEach(text -> set("--uplink-of", text, plan, plan::uplink));
        downlinks.forEach(text -> set("--downlink-of", text, plan, plan::downlink));
        return plan.conclude();
    }

    private static void set(String setting, String text, LabPlan plan, BiConsumer<LinkName, Long> setter) {
        String[] halves = text.split("=", 2);
        if (halves.length < 2) {
            throw new IllegalArgumentException(setting + " is '" + text + "', expected LINK=RATE such as 2=100mbit");
        }
        long bits = LinkRate.parse(setting, halves[1]);
        links(setting, halves[0], plan).forEach(link -> setter.accept(link, bits));
    }

    /** Parses hosts and racks: {@code 0}, {@code 1,3}, {@code 2-5}, {@code rack1}. */
    private static List<LinkName> links(String setting, String text, LabPlan plan) {
        List<LinkName> links = List.of(text.split(",", -1)).stream()
                .flatMap(part -> part(setting, part.trim()).stream())
                .toList();
        links.forEach(link -> plan.checkName(setting, link));
        return links;
    }

    /** Parses hosts only. */
    static TreeSet<Integer> hosts(String setting, String text, LabPlan plan) {
        TreeSet<Integer> hosts = new TreeSet<>();
        for (LinkName link : links(setting, text, plan)) {
            if (link.rack()) {
                throw new IllegalArgumentException(setting + ": " + link + " is a rack, expected a host");
            }
            hosts.add(link.index());
        }
        return hosts;
    }

    private static List<LinkName> part(String setting, String part) {
        Matcher range = RANGE.matcher(part);
        if (!range.matches()) {
            return List.of(LinkName.parse(setting, part));
        }
        int first = Integer.parseInt(range.group(1));
        int last = Integer.parseInt(range.group(2));
        if (first > last) {
            throw new IllegalArgumentException(setting + ": the range " + part + " is descending, expected FROM-TO");
        }
        return IntStream.rangeClosed(first, last).mapToObj(LinkName::host).toList();
    }
}
