package io.sluice.trials.chaos;

import io.sluice.consistency.membership.LocalMembers;
import io.sluice.messaging.RunningDriver;
import io.sluice.messaging.api.Endpoint;
import java.io.IOException;
import java.net.DatagramSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** One host, this machine; its nodes communicate through shared memory or over loopback. */
final class LoopbackSite implements Site {
    private static final String LOOPBACK = "127.0.0.1";

    private final List<String> cluster;
    private final Path driver;

    /** Reserves free addresses for a number of coordinators; 0 if server 0 is the coordinator. */
    LoopbackSite(int coordinators) {
        cluster = LocalMembers.free(Math.max(1, coordinators)).stream()
                .map(Endpoint::toString)
                .toList();
        Path memory = Path.of("/dev/shm");
        Path parent = Files.isWritable(memory) ? memory : Path.of(System.getProperty("java.io.tmpdir"));
        driver = parent.resolve("sluice-" + System.getProperty("user.name") + "-chaos-"
                + ProcessHandle.current().pid());
    }

    @Override
    public int hosts() {
        return 1;
    }

    @Override
    public String address(int host) {
        return LOOPBACK;
    }

    @Override
    public List<String> cluster() {
        return cluster;
    }

    @Override
    public Path driver(int host) {
        return driver;
    }

    @Override
    public ProcessBuilder process(int host, List<String> command) {
        return new ProcessBuilder(command);
    }

    @Override
    public DatagramSocket socket(int host) throws IOException {
        return new DatagramSocket();
    }

    @Override
    public boolean hasLinks() {
        return false;
    }

    @Override
    public void cut(int host) {
        throw new IllegalStateException("loopback has no link to cut");
    }

    @Override
    public void restore(int host) {
        throw new IllegalStateException("loopback has no link to cut");
    }

    @Override
    public void close() {
        // Removes the directory that a killed driver leaves behind.
        RunningDriver.removeStale(driver.getParent(), driver.getFileName().toString());
    }
}
