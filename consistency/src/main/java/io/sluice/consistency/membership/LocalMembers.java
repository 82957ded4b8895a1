package io.sluice.consistency.membership;

import io.sluice.consistency.replica.CoordinatorContext;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.api.MessagingException;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Finds addresses on this host for coordinators that all run here. */
public final class LocalMembers {
    /** Systems take ports for sockets without one from 32768 on: no such socket can take a port below meanwhile. */
    private static final int LOWEST = 20_000;

    private static final int HIGHEST = 32_767;
    private static final int TRIES = 1_000;
    private static final Endpoint LOOPBACK = new Endpoint("127.0.0.1", 0);

    private LocalMembers() {}

    /**
     * Finds addresses for coordinators, each with the ports above it that coordinators use among themselves. Another
     * process that names such a port may take it before it is used.
     *
     * @param count how many
     * @return an address for each
     * @throws MessagingException if there are not as many
     */
    public static List<Endpoint> free(int count) {
        List<Endpoint> found = new ArrayList<>();
        for (int i = 0; i < TRIES && found.size() < count; i++) {
            int first = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST - CoordinatorContext.PORTS);
            boolean apart = found.stream().allMatch(other -> Math.abs(other.port() - first) > CoordinatorContext.PORTS);
            if (apart && areFree(first, first + CoordinatorContext.PORTS)) {
                found.add(LOOPBACK.withPort(first));
            }
        }
        if (found.size() < count) {
            throw new MessagingException("no " + count + " ranges of " + (1 + CoordinatorContext.PORTS)
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
