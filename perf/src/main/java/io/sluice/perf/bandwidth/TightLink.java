package io.sluice.perf.bandwidth;

import io.sluice.perf.UnavailableException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Three hosts, each a network namespace, at one bridge whose port to the third has a limited rate: two senders share
 * one link. Nothing outside the namespaces is touched, and closing removes them.
 */
final class TightLink implements AutoCloseable {
    /** Sends what is measured. */
    static final int NEAR = 0;

    /** Sends cross traffic. */
    static final int ASIDE = 1;

    /** Receives both, behind the limited port. */
    static final int FAR = 2;

    private static final int HOSTS = 3;
    private static final String NETWORK = "10.78.0.";
    private static final int BITS = 8;

    /** The token bucket holds what the rate carries in 2 ms, as {@code tc} needs on a machine of slow timers. */
    private static final int BUCKETS_PER_SECOND = 500;

    private static final long SMALLEST_BUCKET = 16 << 10;
    private static final long PATIENCE_S = 20;

    private final String prefix = "sluicebw" + ProcessHandle.current().pid();
    private final String hub = prefix + "hub";
    private final long queueBytes;
    private final Thread atExit = new Thread(this::remove, "sluice-namespaces");
    private final List<String> made = new ArrayList<>();

    /** Makes them, without a limit yet; {@code queueBytes} may wait at the limited port. */
    TightLink(long queueBytes) {
        this.queueBytes = queueBytes;
        requireRootAndTools();
        Runtime.getRuntime().addShutdownHook(atExit);
        try {
            run("ip", "netns", "add", hub);
            made.add(hub);
            run("ip", "-n", hub, "link", "add", "bridge", "type", "bridge");
            run("ip", "-n", hub, "link", "set", "bridge", "up");
            for (int host = 0; host < HOSTS; host++) {
                add(host);
            }
        } catch (UnavailableException e) {
            close();
            throw e;
        }
    }

    private static void requireRootAndTools() {
        if (!System.getProperty("os.name").equals("Linux") || !"root".equals(System.getProperty("user.name"))) {
            throw new UnavailableException("links of known rate need Linux and root: network namespaces and tc");
        }
        for (String tool : List.of("ip", "tc")) {
            boolean found = Stream.of(System.getenv("PATH").split(":"))
                    .anyMatch(folder -> Files.isExecutable(Path.of(folder, tool)));
            if (!found) {
                throw new UnavailableException("links of known rate need the command " + tool + " (iproute2)");
            }
        }
    }

    private void add(int host) {
        String name = name(host);
        run("ip", "netns", "add", name);
        made.add(name);
        String port = port(host);
        run("ip", "-n", hub, "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", name);
        run("ip", "-n", hub, "link", "set", port, "master", "bridge", "up");
        run("ip", "-n", name, "link", "set", "lo", "up");
        run("ip", "-n", name, "address", "add", address(host) + "/24", "dev", "eth0");
        run("ip", "-n", name, "link", "set", "eth0", "up");
    }

    /** Gives the port to the far host a rate. */
    void rate(long bitsPerSecond) {
        long bucket = Math.max(SMALLEST_BUCKET, bitsPerSecond / BITS / BUCKETS_PER_SECOND);
        run(
                "tc",
                "-n",
                hub,
                "qdisc",
                "replace",
                "dev",
                port(FAR),
                "root",
                "tbf",
                "rate",
                bitsPerSecond + "bit",
                "burst",
                Long.toString(bucket),
                "limit",
                Long.toString(queueBytes));
    }

    private static String port(int host) {
        return "port" + host;
    }

    private String name(int host) {
        return prefix + "h" + host;
    }

    static String address(int host) {
        return NETWORK + (host + 1);
    }

    /** What a command must begin with to run on that host. */
    List<String> on(int host) {
        return List.of("ip", "netns", "exec", name(host));
    }

    private static void run(String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new UnavailableException("'" + String.join(" ", command) + "' failed: " + said);
            }
        } catch (IOException e) {
            throw new UnavailableException("'" + String.join(" ", command) + "' cannot be run: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnavailableException("interrupted while running '" + String.join(" ", command) + "'");
        }
    }

    private synchronized void remove() {
        for (String name : made) {
            try {
                run("ip", "netns", "delete", name);
            } catch (UnavailableException e) {
                System.err.println("sluice: " + e.getMessage());
            }
        }
        made.clear();
    }

    @Override
    public void close() {
        remove();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // The process is ending, and the hook runs or has run.
        }
    }
}
