package io.sluice.tree.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.messaging.ByteSize;
import io.sluice.messaging.Latency;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopologyFileTest {
    @TempDir
    private Path folder;

    private TopologyFile read(String text) throws IOException {
        Path file = folder.resolve("net.yaml");
        Files.writeString(file, text);
        return TopologyFile.read(file);
    }

    @Test
    void aNetworkIsReadAsItIsWritten() throws IOException {
        TopologyFile file = read("""
            # two halls
            link: {uplink: 1gbit, downlink: 2gbit}
            latency: 50us
            aggregations:
              - name: hall-1
                uplink: 40gbit
                edges:
                  - {name: rack-1, uplink: 10gbit, downlink: 5gbit, hosts: [a1, "a[08-11]"]}
                  - {name: rack-2, hosts: [b1]}
              - name: hall-2
                edges:
                  - {name: rack-3, hosts: [c1]}
            links:
              "a[08-09]": {uplink: 200mbit}
            servers: [a1]
            workers: ["a[08-11]", c1]
            """);
        Topology topology = file.topology();
        assertEquals(
                List.of("a1", "a08", "a09", "a10", "a11", "b1", "c1"),
                topology.hosts().stream().map(Topology.Host::name).toList());
        assertEquals(new Topology.Host("a1", 0, 125e6, 250e6), topology.hosts().getFirst());
        assertEquals(new Topology.Host("a09", 0, 25e6, 250e6), topology.hosts().get(2));
        assertEquals(
                new Topology.Switch("rack-1", 0, 1.25e9, 0.625e9),
                topology.edges().getFirst());
        assertEquals(
                new Topology.Switch("hall-1", -1, 5e9, 5e9),
                topology.aggregations().getFirst());
        assertTrue(Double.isInfinite(topology.edges().get(1).uplink()));
        assertEquals(50e-6, topology.latency(), 1e-12);
        assertEquals(List.of(0), file.servers());
        assertEquals(List.of(1, 2, 3, 4, 6), file.workers());
        assertEquals(0, topology.cost(0, 0));
        assertEquals(0.1, topology.cost(0, 1));
        assertEquals(0.5, topology.cost(0, 5));
        assertEquals(1.0, topology.cost(0, 6));
    }

    @Test
    void measuredPairsCostInProportionToTheirSlowness() throws IOException {
        Topology topology = read("""
            edges: [{name: r, hosts: [a, b, c]}]
            bandwidth:
              - {from: a, to: b, rate: 900mbit}
              - {from: b, to: c, rate: 90mbit}
              - {from: c, to: b, rate: 450mbit}
            """).topology();
        assertEquals(0.1, topology.cost(0, 1), 1e-12);
        assertEquals(0.1, topology.cost(1, 0), 1e-12, "back as there, unless that is measured, too");
        assertEquals(1.0, topology.cost(1, 2), 1e-12);
        assertEquals(0.2, topology.cost(2, 1), 1e-12);
        assertEquals(0.1, topology.cost(0, 2), 1e-12, "not measured: by place");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "edges: [{name: r, hosts: [a, a]}] | host a is named twice",
                "edges: [{name: r, hosts: []}] | edge r has no hosts",
                "edges: [{name: r}, {name: r, hosts: [a]}] | edge r is named twice",
                "edges: [{name: r, uplink: 0bit, hosts: [a]}] | edge r: uplink is 0.0 bit/s",
                "edges: [{name: r, uplink: fast, hosts: [a]}] | edge r: uplink is 'fast', expected bits per second",
                "{link: {uplink: 10bit}, edges: [{name: r, hosts: [a]}]} | host a: uplink is 10.0 bit/s",
                "edges: [{name: r, hosts: ['a[9-3]']}] | host range 'a[9-3]' ends before it begins",
                "edges: [{name: r, hosts: ['a b']}] | host 'a b' is not a name",
                "edges: [{hosts: [a]}] | an edge has an empty entry",
                "edges: [~] | an edge has an empty entry",
                "aggregations: [~] | an aggregation has an empty entry",
                "{edges: [{name: r, hosts: [a]}], bandwidth: [~]} | 'bandwidth' has an empty entry",
                "{edges: [{name: r, hosts: [a]}], links: {b: {uplink: 1gbit}}} | links names host b, which is at no"
                        + " edge",
                "{edges: [{name: r, hosts: [a]}], workers: [z]} | workers: host 'z' is not in the topology",
                "{edges: [{name: r, hosts: [a]}], latency: soon} | latency is 'soon', expected a time",
                "{edges: [{name: r, hosts: [a]}], bandwidth: [{from: a, to: q, rate: 1gbit}]} | host 'q' is at no edge",
                "{edges: [{name: r, hosts: [a]}], bandwidth: [{from: a, to: a, rate: 1gbit}]} | is within a host",
                "{edges: [{name: r, hosts: [a]}], hosts: 3} | line 1",
                "edges: [{name: r, uplik: 1gbit, hosts: [a]}] | there is no key 'uplik' in edges[0], expected one of"
                        + " downlink, hosts, name, uplink",
                "{edges: [{name: r, hosts: [a]}], hosts: 3} | there is no key 'hosts' in the file, expected one of"
                        + " aggregations, bandwidth, edges, latency, link, links, servers, workers",
                "hello | the file has the wrong type, expected keys with values",
                "edges: 5 | edges has the wrong type, expected a list",
                "edges: [r] | edges[0] has the wrong type, expected keys with values",
                "edges: [{name: [x]}] | edges[0].name has the wrong type, expected text",
                "edges: [ | while parsing a flow node: expected the node content",
                "aggregations: [{name: x, edges: []}] | aggregation x has no edges",
                "latency: 1ms | neither 'aggregations' nor 'edges'",
                "edges: [ | line 1",
            })
    void whatCannotBeIsNamed(String text, String message) {
        TopologyFormatException refusal = assertThrows(TopologyFormatException.class, () -> read(text));
        assertTrue(refusal.getMessage().contains(message), refusal.getMessage());
        assertTrue(refusal.getMessage().contains("net.yaml"), refusal.getMessage());
    }

    @Test
    void anEmptyFileIsRefused() {
        TopologyFormatException refusal = assertThrows(TopologyFormatException.class, () -> read("# nothing\n"));
        assertTrue(
                refusal.getMessage().endsWith("net.yaml is empty, expected 'aggregations' or 'edges'"),
                refusal.getMessage());
    }

    @Test
    void aFolderIsRefused() {
        TopologyFormatException refusal = assertThrows(TopologyFormatException.class, () -> TopologyFile.read(folder));
        assertEquals(folder + ": is a folder, expected a file", refusal.getMessage());
    }

    @Test
    void aFileInAnotherEncodingIsRefused() throws IOException {
        Path file = folder.resolve("net.yaml");
        Files.writeString(file, "edges: [{name: hall-süd, hosts: [a]}]", StandardCharsets.ISO_8859_1);
        TopologyFormatException refusal = assertThrows(TopologyFormatException.class, () -> TopologyFile.read(file));
        assertEquals(file + ": expected UTF-8 text", refusal.getMessage());
    }

    @Test
    void sizesAndTimesAreReadAsPeopleWriteThem() {
        assertEquals(64L << 20, ByteSize.parse("--bytes", "64MiB", 1L << 40));
        assertEquals(65_536, ByteSize.parse("--bytes", "65536", 65_536));
        assertThrows(IllegalArgumentException.class, () -> ByteSize.parse("--bytes", "65537", 65_536));
        assertThrows(IllegalArgumentException.class, () -> ByteSize.parse("--bytes", "999999999999gib", 1L << 40));
        assertThrows(IllegalArgumentException.class, () -> ByteSize.parse("--bytes", "0", 9));
        assertEquals(1.5e-3, Latency.parse("--latency", "1.5ms"), 1e-15);
        assertThrows(IllegalArgumentException.class, () -> Latency.parse("--latency", "5"));
    }
}
