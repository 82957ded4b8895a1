package io.sluice.perf.lab.cli;

import io.sluice.perf.lab.LabPlan;
import io.sluice.perf.lab.LinkName;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Parses a list of hosts or racks: {@code 0}, {@code 1,3}, {@code 2-5}, {@code rack1}. */
final class HostSet {
    private static final Pattern RANGE = Pattern.compile("(\\d{1,4})-(\\d{1,4})");

    private HostSet() {}

    /** Parses links: hosts and racks. */
    static List<LinkName> links(String setting, String text, LabPlan plan) {
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
