package io.sluice.consistency.membership;

import io.sluice.consistency.replica.CoordinatorContext;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.api.MessagingException;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds addresses on this host for coordinators that all run here. A range of ports that a process finds is reserved
 * for the coordinators that it starts: it holds a TCP socket on the number of the first port, which coordinators need
 * for UDP only, and a search for a free range skips it. A process holds only its latest reservations, which matter
 * until a coordinator has bound its ports.
 */
public final class LocalMembers {
    /**
     * Lowest port of a range. Operating systems assign ports from 32768 on, so they do not assign one of a range below.
     */
    private static final int LOWEST = 20_000;

    private static final int HIGHEST = 32_767;

    /** A coordinator's port and those above it. Ranges are aligned to their length, so that they do not overlap. */
    private static final int LENGTH = 1 + CoordinatorContext.PORTS;

    private static final int TRIES = 1_000;
    private static final Endpoint LOOPBACK = new Endpoint("127.0.0.1", 0);

    private static final int LATEST = 256;
    private static final Queue<ServerSocket> RESERVATIONS = new ArrayDeque<>();

    private LocalMembers() {}

    /**
     * Finds addresses for coordinators, each with the ports above it that coordinators use among themselves, and
     * reserves them. Only a process that names such a port explicitly can still take it.
     *
     * @param count number of coordinators
     * @return an address for each
     * @throws MessagingException if there are not enough ports
     */
    public static synchronized List<Endpoint> free(int count) {
        List<Endpoint> found = new ArrayList<>();
        for (int i = 0; i < TRIES && found.size() < count; i++) {
            int range = ThreadLocalRandom.current().nextInt((HIGHEST - LOWEST) / LENGTH);
            int first = LOWEST + range * LENGTH;
            if (reserve(first)) {
                found.add(LOOPBACK.withPort(first));
            }
        }
        if (found.size() < count) {
            throw new MessagingException("no " + count + " ranges of " + LENGTH + " free ports were found at "
                    + LOOPBACK.host() + " for coordinators");
        }
        return found;
    }

    private static boolean reserve(int first) {
        InetAddress loopback = InetAddress.ofLiteral(LOOPBACK.host());
        try {
            ServerSocket reservation = new ServerSocket(first, 1, loopback);
            if (!areFree(first, loopback)) {
                reservation.close();
                return false;
            }
            RESERVATIONS.add(reservation);
            if (RESERVATIONS.size() > LATEST) {
                RESERVATIONS.remove().close();
            }
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean areFree(int first, InetAddress loopback) {
        for (int port = first; port < first + LENGTH; port++) {
            try (DatagramSocket socket = new DatagramSocket(port, loopback)) {
                assert socket.isBound();
            } catch (IOException | IllegalArgumentException e) {
                return false;
            }
        }
        return true;
    }
}
