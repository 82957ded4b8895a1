package io.sluice.tree.planning;

import io.sluice.messaging.HostRange;
import io.sluice.tree.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The short text of a topology that nodes send to each other, equal for equal networks.
 *
 * <p>It has parts separated by semicolons, each a letter and its values: {@code t} the latency in seconds, then for
 * each aggregation switch {@code a} and its uplink and downlink, followed by its edge switches, {@code e} and both
 * links, each followed by its hosts: {@code h}, their links, and names or ranges of names; at the end
 * {@code b}, two hosts and the rate measured from one to the other. Rates are in bytes per second, {@code -} for no
 * limit. It has no names of switches.
 */
public final class TopologyText {
    private static final Pattern NUMBERED = Pattern.compile("(.*?)(\\d{1,9})(\\D*)");
    private static final String UNLIMITED = "-";

    private TopologyText() {}

    /**
     * Writes a topology.
     *
     * @param topology any topology
     * @return ASCII
     */
    public static String of(Topology topology) {
        StringBuilder text = new StringBuilder("t ").append(topology.latency());
        List<List<Topology.Host>> hosts = new ArrayList<>();
        topology.edges().forEach(edge -> hosts.add(new ArrayList<>()));
        topology.hosts().forEach(host -> hosts.get(host.edge()).add(host));
        List<Topology.Host> written = new ArrayList<>();
        for (int aggregation = 0; aggregation < topology.aggregations().size(); aggregation++) {
            append(text, 'a', topology.aggregations().get(aggregation));
            for (int edge = 0; edge < hosts.size(); edge++) {
                if (topology.edges().get(edge).above() == aggregation) {
                    append(text, 'e', topology.edges().get(edge));
                    append(text, hosts.get(edge));
                    written.addAll(hosts.get(edge));
                }
            }
        }
        if (topology.measuredPairs() > 0) {
            appendMeasured(text, topology, written);
        }
        return text.toString();
    }

    private static void append(StringBuilder text, char kind, Topology.Switch device) {
        text.append(';').append(kind).append(' ').append(rate(device.uplink()));
        text.append(' ').append(rate(device.downlink()));
    }

    private static void append(StringBuilder text, List<Topology.Host> hosts) {
        int from = 0;
        for (int i = 0; i < hosts.size(); i++) {
            Topology.Host host = hosts.get(i);
            if (i == 0 || !isAlike(host, hosts.get(i - 1))) {
                text.append(";h ").append(rate(host.uplink())).append(' ').append(rate(host.downlink()));
            }
            boolean last = i + 1 == hosts.size() || !isAlike(host, hosts.get(i + 1));
            if (last
                    || !name(hosts.get(from).name(), i + 1 - from)
                            .equals(hosts.get(i + 1).name())) {
                text.append(' ').append(names(hosts.get(from).name(), i - from));
                from = i + 1;
            }
        }
    }

    private static boolean isAlike(Topology.Host host, Topology.Host other) {
        return host.uplink() == other.uplink() && host.downlink() == other.downlink();
    }

    /** The name at a distance after a numbered name; empty if the name has no number. */
    private static String name(String first, int places) {
        Matcher numbered = NUMBERED.matcher(first);
        return numbered.matches() ? numbered.group(1) + number(numbered, places) + numbered.group(3) : "";
    }

    private static String number(Matcher first, int places) {
        int value = Integer.parseInt(first.group(2)) + places;
        return String.format(Locale.ROOT, "%0" + first.group(2).length() + "d", value);
    }

    private static String names(String first, int more) {
        Matcher numbered = NUMBERED.matcher(first);
        if (more == 0 || !numbered.matches()) {
            return first;
        }
        return numbered.group(1) + '[' + numbered.group(2) + '-' + number(numbered, more) + ']' + numbered.group(3);
    }

    /** Appends the measured rates in the order of the hosts in the text, which numbers them. */
    private static void appendMeasured(StringBuilder text, Topology topology, List<Topology.Host> hosts) {
        int[] numbers =
                hosts.stream().mapToInt(host -> topology.host(host.name())).toArray();
        for (int from = 0; from < numbers.length; from++) {
            for (int to = 0; to < numbers.length; to++) {
                double rate = topology.measuredRate(numbers[from], numbers[to]);
                if (rate > 0) {
                    String fromName = hosts.get(from).name();
                    String toName = hosts.get(to).name();
                    text.append(";b " + fromName + ' ' + toName + ' ' + rate(rate));
                }
            }
        }
    }

    private static String rate(double rate) {
        if (Double.isInfinite(rate)) {
            return UNLIMITED;
        }
        return rate == Math.rint(rate) ? Long.toString((long) rate) : Double.toString(rate);
    }

    /**
     * Reads a topology.
     *
     * @param text text that {@link #of} has written
     * @return the same network; switches are named by their numbers
     * @throws IllegalArgumentException naming the faulty part
     */
    public static Topology parse(String text) {
        Reading reading = new Reading();
        for (String part : text.split(";")) {
            try {
                reading.take(part.split(" "));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("topology, '" + part + "': " + e.getMessage(), e);
            }
        }
        return reading.builder.build();
    }

    private static final class Reading {
        final Topology.Builder builder = new Topology.Builder();
        private int aggregations;
        private int edges;

        void take(String[] words) {
            switch (words[0]) {
                case "t" -> builder.latency(Double.parseDouble(word(words, 1)));
                case "a" -> {
                    builder.aggregation(String.valueOf(aggregations), parsed(words, 1), parsed(words, 2));
                    aggregations++;
                }
                case "e" -> {
                    require(aggregations > 0, "an aggregation switch before it");
                    builder.edge(aggregations - 1, String.valueOf(edges), parsed(words, 1), parsed(words, 2));
                    edges++;
                }
                case "h" -> {
                    require(edges > 0, "an edge switch before it");
                    for (int i = 3; i < words.length; i++) {
                        for (String host : HostRange.expand(words[i], Topology.MOST_HOSTS)) {
                            builder.host(edges - 1, host, parsed(words, 1), parsed(words, 2));
                        }
                    }
                }
                case "b" -> builder.measured(word(words, 1), word(words, 2), parsed(words, 3));
                default -> throw new IllegalArgumentException("expected t, a, e, h or b first");
            }
        }

        private static void require(boolean valid, String expected) {
            if (!valid) {
                throw new IllegalArgumentException("expected " + expected);
            }
        }

        private static String word(String[] words, int index) {
            require(index < words.length, index + " or more words after '" + words[0] + "'");
            return words[index];
        }

        private static double parsed(String[] words, int index) {
            String word = word(words, index);
            return UNLIMITED.equals(word) ? Double.POSITIVE_INFINITY : Double.parseDouble(word);
        }
    }
}
