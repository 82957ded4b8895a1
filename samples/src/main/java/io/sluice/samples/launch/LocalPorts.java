package io.sluice.samples.launch;

import io.sluice.messaging.Endpoint;
import io.sluice.messaging.MessagingException;
import io.sluice.messaging.Routes;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/** Ports of this host at which the coordinators of a job can receive. They may be taken by the time they are used. */
final class LocalPorts {
    /** Above that for nodes, which is the first. */
    private static final int FOR_THEMSELVES = 5;

    private static final int TRIES = 1_000;
    private static final Endpoint LOOPBACK = new Endpoint("127.0.0.1", 0);

    private LocalPorts() {}

    /**
     * Addresses of coordinators.
     *
     * @param several how many there are, each with ports for what they say among themselves; 0 for the one in server 0
     * @return an address for each
     */
    static List<String> forCoordinators(int several) {
        if (several == 0) {
            return List.of(LOOPBACK.withPort(Routes.freePort(LOOPBACK)).toString());
        }
        List<Integer> ports = new ArrayList<>();
        for (int i = 0; i < TRIES && ports.size() < several; i++) {
            int first = Routes.freePort(LOOPBACK);
            boolean apart = ports.stream().allMatch(port -> Math.abs(port - first) > FOR_THEMSELVES);
            if (apart && areFree(first + 1, first + FOR_THEMSELVES)) {
                ports.add(first);
            }
        }
        if (ports.size() < several) {
            throw new MessagingException("no " + several + " ranges of " + (1 + FOR_THEMSELVES)
                    + " free ports were found at " + LOOPBACK.host() + " for coordinators");
        }
        return ports.stream().map(port -> LOOPBACK.withPort(port).toString()).toList();
    }

    private static boolean areFree(int from, int to) {
        for (int port = from; port <= to; port++) {
            try (DatagramSocket socket = new DatagramSocket(port, InetAddress.ofLiteral(LOOPBACK.host()))) {
                assert socket.isBound();
            } catch (IOException | IllegalArgumentException e) {
                return false;
            }
        }
        return true;
    }
}
