package io.sluice.consistency.replica;

import io.sluice.messaging.Endpoint;
import io.sluice.messaging.MessagingException;
import io.sluice.messaging.Routes;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/** Addresses of this host's own at which coordinators can receive, for those who start all of them here. */
public final class LocalMembers {
    private static final int TRIES = 1_000;
    private static final Endpoint LOOPBACK = new Endpoint("127.0.0.1", 0);

    private LocalMembers() {}

    /**
     * Addresses of coordinators, each with the ports above it that they need for themselves. They may be taken by the
     * time they are used.
     *
     * @param count how many
     * @return an address for each
     * @throws MessagingException if there are not as many
     */
    public static List<Endpoint> free(int count) {
        List<Endpoint> found = new ArrayList<>();
        for (int i = 0; i < TRIES && found.size() < count; i++) {
            int first = Routes.freePort(LOOPBACK);
            boolean apart = found.stream().allMatch(other -> Math.abs(other.port() - first) > Consensus.PORTS);
            if (apart && areFree(first + 1, first + Consensus.PORTS)) {
                found.add(LOOPBACK.withPort(first));
            }
        }
        if (found.size() < count) {
            throw new MessagingException("no " + count + " ranges of " + (1 + Consensus.PORTS)
                    + " free ports were found at " + LOOPBACK.host() + " for coordinators");
        }
        return found;
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
