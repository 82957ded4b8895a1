package io.sluice.tree.planning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.tree.Seeds;
import io.sluice.tree.topology.Topology;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopologyTextTest {
    private static final double ANY = Double.POSITIVE_INFINITY;
    private static final String[] NAMES = {"a%d", "rack-%03d", "10.0.0.%d", "h%d.example.org", "x%dy", "n-%02d-z9"};

    /** Racks added in any order, names that count and names that do not, rates of all kinds. */
    private static Topology random(SplittableRandom random) {
        Topology.Builder builder = new Topology.Builder().latency(random.nextInt(3) * 12.5e-6);
        int aggregations = random.nextInt(1, 4);
        for (int i = 0; i < aggregations; i++) {
            builder.aggregation("hall " + i, rate(random), rate(random));
        }
        int edges = aggregations + random.nextInt(5);
        String[] hosts = new String[200];
        int count = 0;
        for (int edge = 0; edge < edges; edge++) {
            builder.edge(edge < aggregations ? edge : random.nextInt(aggregations), "rack; " + edge, rate(random), 1e9);
        }
        for (int i = 0; i < edges + random.nextInt(100); i++) {
            String form = NAMES[random.nextInt(1 + i % NAMES.length)];
            String name = i % 7 == 6 ? "odd" + (char) ('a' + i % 26) + i : form.formatted(95 + i);
            double rate = 125 * random.nextInt(1, 3);
            builder.host(i < edges ? i : random.nextInt(edges), name, rate, random.nextBoolean() ? rate : 1e6 / 3);
            hosts[count++] = name;
        }
        for (int i = 0; i < random.nextInt(4) && count > 5; i++) {
            builder.measured(hosts[i], hosts[count - 1], 1e6 + random.nextInt(1_000));
        }
        return builder.build();
    }

    private static double rate(SplittableRandom random) {
        return random.nextBoolean() ? ANY : 125 * random.nextInt(1, 1_000_000) / 8.0 + 125;
    }

    @Test
    void isTheSameNetworkAgain() {
        for (long seed : Seeds.of(200)) {
            Topology topology = random(new SplittableRandom(seed));
            String text = TopologyText.of(topology);
            Topology again = TopologyText.parse(text);
            String replay = "seed " + seed + ": " + text;
            assertEquals(text, TopologyText.of(again), replay);
            assertEquals(topology.latency(), again.latency(), replay);
            assertEquals(topology.hosts().size(), again.hosts().size(), replay);
            for (Topology.Host host : topology.hosts()) {
                requireSame(topology, again, host, replay);
            }
        }
    }

    private static void requireSame(Topology topology, Topology again, Topology.Host host, String replay) {
        Topology.Host other = again.hosts().get(again.host(host.name()));
        assertEquals(host.uplink(), other.uplink(), replay);
        assertEquals(host.downlink(), other.downlink(), replay);
        Topology.Switch edge = topology.edges().get(host.edge());
        Topology.Switch otherEdge = again.edges().get(other.edge());
        assertEquals(edge.uplink(), otherEdge.uplink(), replay);
        assertEquals(edge.downlink(), otherEdge.downlink(), replay);
        assertEquals(
                topology.aggregations().get(edge.above()).uplink(),
                again.aggregations().get(otherEdge.above()).uplink(),
                replay);
        for (Topology.Host peer : topology.hosts()) {
            assertEquals(
                    topology.cost(topology.host(host.name()), topology.host(peer.name())),
                    again.cost(again.host(host.name()), again.host(peer.name())),
                    replay);
        }
    }

    @Test
    void thousandsOfNumberedHostsAreAShortText() {
        Topology topology = new RackNetwork(4_000, 40, 16, 125e6, 4, 50e-6).topology();
        String text = TopologyText.of(topology);
        assertTrue(text.length() < 1 << 14, text.length() + " characters");
        assertEquals(text, TopologyText.of(TopologyText.parse(text)));
    }

    @ParameterizedTest
    @CsvSource({
        "'', expected t",
        "'h 125 125 a', an edge switch before it",
        "'e - -', an aggregation switch before it",
        "'t', 1 or more words after",
        "'t 1;a - -;e - -;h 125 125 [1-2', is not a name",
        "'t 1;a - -;e - -;h 125 x b', x",
        "'t 1;a - -;e - -;h 125 125 b;b b c 7', 'c'",
        "'t 1;a - -;e - -;h 125 125 b b', named twice",
        "'t 1;a - -;e - -', has no hosts",
        "'t NaN', latency",
        "'t 1;a - -;e - -;h 125 125 q[0-99999] r[0-99999]', one too many"
    })
    void whatCannotBeIsRefused(String text, String why) {
        String message = assertThrows(IllegalArgumentException.class, () -> TopologyText.parse(text))
                .getMessage();
        assertTrue(message.contains(why), message);
    }
}
