package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The servers and workers of a cluster that a test starts one by one. Closing it ends them. */
final class HandMade implements AutoCloseable {
    private static final Pattern REPLICA = Pattern.compile("worker \\d+: replica ([0-9a-f]{64})");

    private final String cluster;
    private final List<CliRun> servers = new ArrayList<>();
    private final List<CliRun> workers = new ArrayList<>();

    HandMade(String cluster) {
        this.cluster = cluster;
    }

    /** Options of a small training, and more. */
    static Object[] training(Object... more) {
        return with(List.of("--clocks", 15, "--features", 1 << 16, "--batch", 32), more);
    }

    void coordinator(Cli cli, Path aeron, Object... terms) {
        servers.add(
                cli.start(with(List.of("server", "--coordinate", "--cluster", cluster, "--aeron-dir", aeron), terms)));
    }

    void server(Cli cli, Path aeron, Object... more) {
        servers.add(cli.start(with(List.of("server", "--cluster", cluster, "--aeron-dir", aeron), more)));
    }

    void worker(Cli cli, Path aeron, Object... more) {
        workers.add(
                cli.start(with(List.of("worker", "lr", "--cluster", cluster, "--aeron-dir", aeron), training(more))));
    }

    /** Waits for the workers, and returns the line of each about its replica. */
    List<String> hashes() {
        List<String> hashes = new ArrayList<>();
        for (CliRun worker : workers) {
            assertEquals(0, worker.exitCode(), () -> worker + "\n" + servers);
            Matcher replica = REPLICA.matcher(worker.out());
            assertTrue(replica.find(), worker::toString);
            hashes.add(replica.group(1));
        }
        return hashes;
    }

    /** The servers end by themselves once all workers have left. */
    void assertServersEnd() {
        for (CliRun server : servers) {
            assertEquals(0, server.exitCode(), server::toString);
            assertTrue(server.out().contains(" 0 frames rejected"), server.out());
        }
    }

    @Override
    public void close() {
        servers.forEach(CliRun::close);
        workers.forEach(CliRun::close);
    }

    private static Object[] with(List<?> first, Object... more) {
        List<Object> all = new ArrayList<>(first);
        all.addAll(Arrays.asList(more));
        return all.toArray();
    }
}
