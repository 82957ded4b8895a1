package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.console.ExitCode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The media driver of a job is stopped (SIGSTOP) for longer than its clients wait for it: they declare it dead. */
@Tag("slow")
@Timeout(400)
@EnabledOnOs(value = OS.LINUX, disabledReason = "stops a process")
class StalledDriverTest {
    /** Aeron's driver timeout of 10 s, leave messages that no node receives, the end of a JVM, and a busy machine. */
    private static final Duration WITHIN = Duration.ofSeconds(60);

    /** The message on detection, and the reason with which the node ends. */
    private static final int MOST_LINES = 2;

    @TempDir
    private Path folder;

    /** Nodes do not wait for the driver to continue, although the cluster waits for dead nodes. */
    @Test
    void allNodesEndWithTheReasonWhileItIsStopped() throws IOException {
        Path aeron = folder.resolve("aeron");
        String cluster = "127.0.0.1:" + ByHandTest.freePort();
        Object[] node = {"--cluster", cluster, "--aeron-dir", aeron, "--snapshots", folder.resolve("snapshots")};
        Object[] terms = {"--coordinate", "--workers", 1, "--servers", 1};
        // Silence would be noticed later: it is the loss of the driver that ends them.
        Object[] deaths = {"--on-death", "wait", "--snapshot-every", 200, "--liveness-ms", 6_000};
        Object[] job = {"--features", 1 << 14, "--batch", 16, "--clocks", 1_000_000};
        try (CliRun driver = Cli.plain().start("driver", "--aeron-dir", aeron)) {
            driver.awaitOut("media driver in");
            try (CliRun server = start(List.of("server", "--index", 0), node, terms, deaths);
                    CliRun worker = start(List.of("worker", "lr", "--index", 0), node, job)) {
                worker.awaitOut("worker 0: clock");
                Root.run("kill", "-STOP", Long.toString(driver.pid()));
                try {
                    assertEndsWithReason(worker, aeron);
                    assertEndsWithReason(server, aeron);
                } finally {
                    Root.run("kill", "-CONT", Long.toString(driver.pid()));
                }
            }
        }
    }

    private static CliRun start(List<Object> command, Object[]... more) {
        return Cli.plain()
                .start(Stream.concat(command.stream(), Stream.of(more).flatMap(Arrays::stream))
                        .toArray());
    }

    private static void assertEndsWithReason(CliRun node, Path aeron) {
        int code = node.exitCode(WITHIN);
        assertTrue(Set.of(ExitCode.CLUSTER, ExitCode.UNAVAILABLE).contains(code), node::toString);
        assertTrue(node.complaints().getLast().contains("the media driver in " + aeron), node::toString);
        assertFalse(node.err().contains("Exception"), node::toString);
        long named = node.complaints().stream()
                .filter(line -> line.contains("media driver"))
                .count();
        assertTrue(named <= MOST_LINES, node::toString);
    }
}
