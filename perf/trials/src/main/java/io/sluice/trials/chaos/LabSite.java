package io.sluice.trials.chaos;

import io.sluice.perf.lab.Host;
import io.sluice.perf.lab.Lab;
import io.sluice.perf.lab.LabPlan;
import java.io.IOException;
import java.net.DatagramSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** Two hosts of a network lab, each with a media driver and half of the nodes. */
final class LabSite implements Site {
    private static final int HOSTS = 2;
    private static final int PORT = Host.FREE_PORTS;

    /** Distance between the ports of two coordinators, which use some ports for their consensus. */
    private static final int PORTS = 10;

    private final Lab lab = Lab.build(new LabPlan().hosts(HOSTS));
    private final int coordinators;

    /** Builds the lab for a number of coordinators; 0 if server 0 is the coordinator. */
    LabSite(int coordinators) {
        this.coordinators = coordinators;
    }

    @Override
    public int hosts() {
        return HOSTS;
    }

    @Override
    public String address(int host) {
        return lab.host(host).address();
    }

    @Override
    public List<String> cluster() {
        return IntStream.range(0, Math.max(1, coordinators))
                .mapToObj(member -> address(member % HOSTS) + ":" + (PORT + PORTS * member))
                .toList();
    }

    @Override
    public Path driver(int host) {
        return lab.host(host).folder().resolve("aeron");
    }

    @Override
    public ProcessBuilder process(int host, List<String> command) {
        return lab.host(host).process(command);
    }

    @Override
    public DatagramSocket socket(int host) throws IOException, InterruptedException {
        return lab.host(host).call(DatagramSocket::new);
    }

    @Override
    public boolean hasLinks() {
        return true;
    }

    @Override
    public void cut(int host) {
        lab.cut(host);
    }

    @Override
    public void restore(int host) {
        lab.restore(host);
    }

    @Override
    public void close() {
        lab.close();
    }
}
