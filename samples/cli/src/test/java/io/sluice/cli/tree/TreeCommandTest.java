package io.sluice.cli.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.SAXException;
import picocli.CommandLine;

class TreeCommandTest {
    @TempDir
    private Path folder;

    private Path network;
    private Exception failure;

    @BeforeEach
    void writeNetwork() throws IOException {
        network = folder.resolve("net.yaml");
        Files.writeString(network, """
            edges:
              - {name: rack-1, uplink: 2gbit, hosts: ["a[1-4]"]}
              - {name: rack-2, hosts: ["b[1-4]", slow]}
            links:
              slow: {uplink: 100mbit}
            servers: [a1]
            """);
    }

    private String run(Object... arguments) {
        CommandLine line = new CommandLine(new TreeCommand());
        StringWriter out = new StringWriter();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(out, true));
        line.setExecutionExceptionHandler((exception, _, _) -> {
            failure = exception;
            return 1;
        });
        String[] words = new String[arguments.length];
        for (int i = 0; i < words.length; i++) {
            words[i] = String.valueOf(arguments[i]);
        }
        line.execute(words);
        return out.toString();
    }

    private static int boxes(Path svg) throws IOException, ParserConfigurationException, SAXException {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
        return factory.newDocumentBuilder()
                .parse(svg.toFile())
                .getElementsByTagName("text")
                .getLength();
    }

    @Test
    void showPrintsTheNetworkBackAndDrawsIt() throws IOException, ParserConfigurationException, SAXException {
        Path svg = folder.resolve("net.svg");
        String out = run("show", "--topology", network, "--svg", svg);
        assertTrue(out.contains("9 hosts, 2 edge switches, 1 aggregation switches"), out);
        assertTrue(out.matches("(?s).*rack-1 +2gbit +2gbit +oversubscribed 2.00 to 1.*"), out);
        assertTrue(out.matches("(?s).*b1 .. b4 \\(4\\) +1gbit +1gbit.*"), out);
        assertTrue(out.matches("(?s).*slow +100mbit +1gbit.*"), out);
        assertTrue(out.contains("servers: a1"), out);
        assertEquals(1 + 2 + 9, boxes(svg), "a text for each switch and host");
    }

    @Test
    void planPrintsDrawsAndWritesTheSamePlan() throws IOException, ParserConfigurationException, SAXException {
        Path svg = folder.resolve("plan.svg");
        Path json = folder.resolve("plan.json");
        String out =
                run("plan", "--topology", network, "--nodes", 8, "--strategy", "p3:3,4", "--svg", svg, "--json", json);
        assertTrue(out.contains("p3:3,4: 67,108,864 bytes from 1 servers to 8 hosts"), out);
        assertTrue(out.contains("P3          objective"), out);
        JsonNode plan = new ObjectMapper().readTree(json.toFile());
        assertEquals("a1", plan.at("/trees/0/root").asText());
        assertEquals(8, plan.at("/trees/0/parents").size());
        assertTrue(plan.path("finish_seconds").asDouble()
                >= plan.path("bound_seconds").asDouble());
        assertEquals(1 + 9, boxes(svg), "a title and a text for each host");
    }

    @Test
    void planReportsWorkersThatShareHosts() {
        String crowded = run("plan", "--topology", network, "--nodes", 100, "--strategy", "flat");
        assertTrue(crowded.contains("  workers     100 on 9 hosts, 11 of them beside servers"), crowded);
        String apart = run("plan", "--topology", network, "--nodes", 8, "--strategy", "flat");
        assertFalse(apart.contains("  workers "), apart);
    }

    @Test
    void autoGivesTheReason() {
        String out = run("plan", "--workers", 8, "--servers", 2);
        assertTrue(out.contains("  why         rotated:2 takes "), out);
    }

    @Test
    void errorsAreNamed() throws IOException {
        run("plan", "--topology", network, "--nodes", 8, "--strategy", "rotated:2,2");
        assertEquals(
                "strategy rotated:2,2: T = 2 children and depth H = 2 reach at most 6 hosts from server 0 at a1,"
                        + " expected to reach 8: host b4 would be the first without a parent",
                failure.getMessage());
        Files.writeString(network, "edges: [{name: r, hosts: [a, a]}]\n");
        run("show", "--topology", network);
        assertInstanceOf(IOException.class, failure);
        assertTrue(
                failure.getMessage().endsWith("net.yaml: host a is named twice, expected once"), failure.getMessage());
    }
}
