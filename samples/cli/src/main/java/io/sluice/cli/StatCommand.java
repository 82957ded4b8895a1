package io.sluice.cli;

import io.sluice.cli.launch.HostCluster;
import io.sluice.cli.stat.ErrorPage;
import io.sluice.cli.stat.PrometheusServer;
import io.sluice.cli.stat.StatLoop;
import io.sluice.console.ExitCode;
import io.sluice.messaging.DriverView;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.driver.Driver;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows the nodes, links and agents at a media driver from another process. */
@Command(
        name = "stat",
        description = "Shows nodes, links, inboxes and agents at this host's media driver while they run.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class StatCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--aeron-dir",
            paramLabel = "DIR",
            description = "Directory of the media driver; by default that of this user, or of the running train job.")
    private Path directory;

    @Option(names = "--once", description = "Show once and end.")
    private boolean once;

    @Option(
            names = "--interval",
            paramLabel = "S",
            defaultValue = "1",
            description = "Seconds between refreshes, 0.05 to 3600 (${DEFAULT-VALUE}).")
    private double interval;

    @Option(names = "--count", paramLabel = "N", description = "End after this many refreshes.")
    private Long count;

    @Option(names = "--json", description = "Print one JSON object with all counters for each refresh.")
    private boolean json;

    @Option(names = "--errors", description = "Print the errors recorded by the driver and the nodes, and end.")
    private boolean errors;

    @Option(
            names = "--prometheus",
            paramLabel = "[HOST:]PORT",
            description = "Serve the counters to Prometheus at http://HOST:PORT/metrics instead of printing them;"
                    + " HOST is 127.0.0.1 by default.")
    private String prometheus;

    @Override
    public Integer call() {
        if (!(interval >= 0.05 && interval <= 3_600)) {
            throw new IllegalArgumentException("--interval is " + interval + ", expected 0.05 to 3600 seconds");
        }
        if (count != null && count < 1) {
            throw new IllegalArgumentException("--count is " + count + ", expected 1 or more");
        }
        Path where = directory == null ? onlyDirectory() : directory;
        PrintWriter out = spec.commandLine().getOut();
        try (Attachment _ = Attachment.of(false);
                DriverView driver = DriverView.open(where)) {
            if (errors) {
                ErrorPage.print(out, driver.errors());
            } else if (prometheus != null) {
                serve(driver, out);
            } else {
                boolean terminal = System.console() != null && System.console().isTerminal();
                long times = once ? 1 : count == null ? 0 : count;
                new StatLoop(driver, out, json, terminal && times != 1).run((long) (interval * 1e9), times);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // Ctrl-C is a normal end
        }
        return ExitCode.OK;
    }

    /** The directory of this user's media driver, if only one runs. */
    static Path onlyDirectory() {
        Path ofUser = new Driver.Context().directory();
        List<Path> running = new ArrayList<>(HostCluster.running());
        if (Driver.isActive(ofUser)) {
            running.add(ofUser);
        }
        if (running.size() > 1) {
            throw new IllegalArgumentException("several media drivers run: name one with --aeron-dir: "
                    + running.stream().map(Path::toString).sorted().collect(Collectors.joining(", ")));
        }
        if (running.isEmpty()) {
            throw new MessagingException(
                    "no media driver runs in " + ofUser + ", and no train job of this user runs on this host; start"
                            + " one with sluice driver, or name the directory of another"
                            + " one with --aeron-dir");
        }
        return running.getFirst();
    }

    private void serve(DriverView driver, PrintWriter out) throws InterruptedException {
        try (PrometheusServer server = new PrometheusServer(driver, endpoint())) {
            out.printf(
                    "metrics at http://%s:%d/metrics until Ctrl-C%n",
                    server.host(), server.address().getPort());
            out.flush();
            server.awaitDriversEnd();
        }
    }

    private Endpoint endpoint() {
        try {
            return Endpoint.parse(prometheus.contains(":") ? prometheus : "127.0.0.1:" + prometheus);
        } catch (MessagingException e) {
            throw new IllegalArgumentException("--prometheus: " + e.getMessage(), e);
        }
    }
}
