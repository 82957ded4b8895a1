package io.sluice.trials.chaos;

import java.io.IOException;
import java.net.DatagramSocket;
import java.nio.file.Path;
import java.util.List;

/** The hosts of a cluster, each with a media driver, on which processes are started. */
interface Site extends AutoCloseable {
    /** Number of hosts, at least 1. */
    int hosts();

    /** IPv4 address of a host. */
    String address(int host);

    /**
     * Address of the coordinator on host 0; of several coordinators, the addresses in order, spread over the hosts in
     * turn.
     */
    List<String> cluster();

    /** Directory of a host's media driver. */
    Path driver(int host);

    /** Prepares a process on a host. */
    ProcessBuilder process(int host, List<String> command);

    /**
     * Opens a socket on a host.
     *
     * @throws IOException if no socket can be opened
     * @throws InterruptedException if the thread is interrupted
     */
    DatagramSocket socket(int host) throws IOException, InterruptedException;

    /** Whether hosts can be cut off. */
    boolean hasLinks();

    /** Cuts a host off. */
    void cut(int host);

    /** Restores the links of a host. */
    void restore(int host);

    @Override
    void close();
}
