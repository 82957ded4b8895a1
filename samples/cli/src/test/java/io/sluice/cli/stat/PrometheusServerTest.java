package io.sluice.cli.stat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.messaging.DriverView;
import io.sluice.messaging.Link;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.counters.CounterGroup;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.driver.Driver;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PrometheusServerTest {
    /** A sample of the text format: name, labels, value. */
    private static final Pattern SAMPLE =
            Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)})? ([-+0-9.eE]+|NaN|[-+]Inf)");

    private final Path directory = new Driver.Context().directory().resolveSibling("sluice-test-" + UUID.randomUUID());
    private final HttpClient client = HttpClient.newHttpClient();

    private Map<String, Double> scrape(PrometheusServer server) throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + server.address().getPort() + "/metrics");
        var answer = client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
        assertEquals(200, answer.statusCode());
        Map<String, Double> samples = new HashMap<>();
        for (String line : answer.body().lines().toList()) {
            if (!line.startsWith("#")) {
                Matcher sample = SAMPLE.matcher(line);
                assertTrue(sample.matches(), line);
                Double before =
                        samples.put(sample.group(1) + "{" + sample.group(2) + "}", Double.parseDouble(sample.group(3)));
                assertEquals(null, before, "twice: " + line);
            }
        }
        return samples;
    }

    private static double only(Map<String, Double> samples, String... words) {
        var found = samples.entrySet().stream()
                .filter(sample -> Pattern.compile(String.join(".*", words))
                        .matcher(sample.getKey())
                        .find())
                .toList();
        assertEquals(1, found.size(), () -> String.join(" ", words) + " in " + samples);
        return found.getFirst().getValue();
    }

    @Test
    void aScrapeHasTheCurrentCounters() throws Exception {
        try (Driver _ = Driver.launch(new Driver.Context().directory(directory));
                Transport transport = Transport.connect(new Transport.Context().directory(directory));
                DriverView view = DriverView.open(directory);
                PrometheusServer server = new PrometheusServer(view, Endpoint.parse("127.0.0.1:0"))) {
            CounterGroup node = transport.counters().node("worker 0");
            node.counter(CounterType.NODE_CLOCK).set(41);
            node.counter(CounterType.NODE_WAIT_TIME).add(2_500_000_000L);
            Link link = transport.openLink(
                    "worker 0 to server 1", transport.channels().ipc(), 7);
            link.counters().onSent(1, 4_096);
            link.counters().onSent(2, 96);

            Map<String, Double> samples = scrape(server);
            while (!samples.values().containsAll(List.of(41.0, 2.5, 4_096.0, 96.0))) {
                samples = scrape(server); // what was counted is published some milliseconds later
            }
            String ofLink = "name=\"worker 0 to server 1\",node=\"worker 0\",peer=\"server 1\"";
            assertEquals(41, only(samples, "^sluice_node_clock\\{", "node=\"worker 0\""));
            assertEquals(2.5, only(samples, "^sluice_node_wait_time_seconds_total\\{", "node=\"worker 0\""));
            assertEquals(4_096, only(samples, "^sluice_link_bytes_sent_total\\{", "kind=\"data\"", ofLink));
            assertEquals(96, only(samples, "^sluice_link_bytes_sent_total\\{", "kind=\"commit\"", ofLink));
            assertEquals(0, only(samples, "^aeron_driver\\{", "counter=\"Errors: "));

            node.counter(CounterType.NODE_CLOCK).set(42);
            link.close();
            Map<String, Double> later = scrape(server);
            while (later.keySet().stream().anyMatch(name -> name.startsWith("sluice_link"))
                    || !later.containsValue(42.0)) {
                later = scrape(server);
            }
            assertEquals(42, only(later, "^sluice_node_clock\\{", "node=\"worker 0\""));
            assertFalse(later.toString().contains("worker 0 to server 1"));
        }
    }

    @Test
    void nothingElseIsServed() throws Exception {
        try (Driver _ = Driver.launch(new Driver.Context().directory(directory));
                DriverView view = DriverView.open(directory);
                PrometheusServer server = new PrometheusServer(view, Endpoint.parse("127.0.0.1:0"))) {
            assertTrue(server.address().getAddress().isLoopbackAddress());
            for (String path : new String[] {"/", "/metrics/more", "/metricsx"}) {
                URI uri = URI.create("http://127.0.0.1:" + server.address().getPort() + path);
                var answer = client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding());
                assertEquals(404, answer.statusCode(), path);
            }
        }
    }
}
