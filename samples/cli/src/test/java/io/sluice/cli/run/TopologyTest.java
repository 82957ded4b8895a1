package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.cli.Sluice;
import io.sluice.console.ExitCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Training over a network that a file describes. */
@Timeout(400)
@Isolated("takes over standard error")
class TopologyTest {
    @TempDir
    private Path directory;

    private Path network(String text) throws IOException {
        return Files.writeString(directory.resolve("network.yaml"), text);
    }

    @Test
    @Tag("slow")
    void aJobPlansOverIt() throws IOException {
        Path file = network("latency: 50us\nedges: [{name: rack, uplink: 10gbit, hosts: ['127.0.0.1', other]}]\n");
        JsonNode report = LrRun.report(
                "--workers",
                3,
                "--clocks",
                10,
                "--features",
                1 << 16,
                "--transport",
                "udp",
                "--tree",
                "chain",
                "--topology",
                file);
        assertTrue(report.get("replicas_identical").asBoolean());
        assertTrue(report.get("bytes_relayed").asLong() > 0);
    }

    @ParameterizedTest
    @CsvSource({
        "'edges: [{name: rack, hosts: [a, a]}]', host a is named twice",
        "'edges: [{name: rack, hosts: []}]', edge rack has no hosts",
        "'edges: [{name: rack, hosts: [a], speed: 1}]', line 1"
    })
    void invalidNetworksAreRefusedBeforeTheStart(String text, String fault) throws IOException {
        Path file = network(text);
        String message = refusal(ExitCode.DATA, "train", "lr", "--tree", "chain", "--topology", file.toString());
        assertTrue(message.contains(file.toString()) && message.contains(fault), message);
    }

    @Test
    void networksThatAreTooLargeAreRefused() throws IOException {
        StringBuilder hosts = new StringBuilder("edges: [{name: rack, hosts: [a");
        for (int i = 0; i < 3_000; i++) {
            hosts.append(", h").append(7 * i);
        }
        Path file = network(hosts.append("]}]").toString());
        String message = refusal(ExitCode.USAGE, "train", "lr", "--tree", "chain", "--topology", file.toString());
        assertTrue(message.contains("expected up to 16384"), message);
    }

    private static String refusal(int exitCode, String... arguments) {
        PrintStream console = System.err;
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        try {
            System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
            assertEquals(exitCode, Sluice.run(arguments), err::toString);
        } finally {
            System.setErr(console);
        }
        String message = err.toString(StandardCharsets.UTF_8);
        assertEquals(1, message.lines().count(), message);
        return message;
    }
}
