package io.sluice.cli.stat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.sluice.messaging.DriverView;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.micrometer.DriverMetrics;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** Serves the counters at a media driver to Prometheus, at {@code /metrics}. */
public final class PrometheusServer implements AutoCloseable {
    private static final String PATH = "/metrics";

    private final DriverView driver;
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final DriverMetrics metrics = new DriverMetrics(registry);
    private final HttpServer server;

    /**
     * Begins to serve.
     *
     * @param driver driver whose counters it reads; no other thread may read them until {@link #close}
     * @param at endpoint at which to listen; port 0 takes a free port
     * @throws MessagingException if it cannot listen there
     */
    public PrometheusServer(DriverView driver, Endpoint at) {
        this.driver = driver;
        try {
            server = HttpServer.create(at.resolve(), 0);
        } catch (IOException e) {
            throw new MessagingException("metrics cannot be served at " + at + ": " + e.getMessage(), e);
        }
        server.createContext(PATH, this::answer);
        server.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (!PATH.equals(exchange.getRequestURI().getPath())) {
                exchange.sendResponseHeaders(HttpURLConnection.HTTP_NOT_FOUND, -1);
            } else if (!"GET".equals(exchange.getRequestMethod())) {
                exchange.sendResponseHeaders(HttpURLConnection.HTTP_BAD_METHOD, -1);
            } else if (!driver.isAlive()) {
                exchange.sendResponseHeaders(HttpURLConnection.HTTP_UNAVAILABLE, -1);
            } else {
                metrics.update(driver.read());
                byte[] page = registry.scrape().getBytes(StandardCharsets.UTF_8);
                exchange.getResponseHeaders().add("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
                exchange.sendResponseHeaders(HttpURLConnection.HTTP_OK, page.length);
                exchange.getResponseBody().write(page);
            }
        }
    }

    /** The address on which the server listens. */
    public InetSocketAddress address() {
        return server.getAddress();
    }

    /** The host's name or address in the form of a URL. */
    public String host() {
        String host = address().getHostString();
        return host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    }

    /**
     * Serves for as long as the driver runs.
     *
     * @throws MessagingException when the driver has ended
     * @throws InterruptedException if this thread is interrupted
     */
    public void awaitDriversEnd() throws InterruptedException {
        while (driver.isAlive()) {
            TimeUnit.SECONDS.sleep(1);
        }
        throw new MessagingException("the media driver in " + driver.directory() + " is no longer running");
    }

    /** Stops serving; waits for an answer in progress. */
    @Override
    public void close() {
        server.stop(1);
        registry.close();
    }
}
