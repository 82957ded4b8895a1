package io.sluice.trials.chaos;

import java.io.IOException;
import java.net.DatagramSocket;
import java.nio.file.Path;
import java.util.List;

/** Where a cluster runs: hosts with a media driver each, on which processes are started. */
interface Site extends AutoCloseable {
    /** How many hosts, from 1. */
    int hosts();

    /** IPv4 address of a host. */
    String address(int host);

    /**
     * Address of the coordinator, on host 0; or of each of several, the first on host 0, the next on the next host, and
     * round again.
     */
    List<String> cluster();

    /** Directory of a host's media driver. */
    Path driver(int host);

    /** Prepares a process on a host. */
    ProcessBuilder process(int host, List<String> command);

    /**
     * A socket on a host.
     *
     * @throws IOException if it cannot be had
     * @throws InterruptedException if interrupted meanwhile
     */
    DatagramSocket socket(int host) throws IOException, InterruptedException;

    /** Whether hosts can be cut off. */
    boolean hasLinks();

    /** Pulls a host's cable. */
    void cut(int host);

    /** Plugs it in again. */
    void restore(int host);

    @Override
    void close();
}
