package io.sluice.consistency.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.replica.CoordinatorContext;
import io.sluice.messaging.api.Endpoint;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Addresses that are found remain those of the finder, so that cluster starts at the same time do not collide. */
class LocalMembersTest {
    private static final int RANGES = 100;

    @Test
    void rangesDoNotOverlapAcrossCalls() {
        List<Integer> ports = new ArrayList<>();
        for (int i = 0; i < RANGES / 2; i++) {
            LocalMembers.free(2).stream().map(Endpoint::port).forEach(ports::add);
        }
        assertEquals(RANGES, ports.size());
        ports.sort(Integer::compare);
        for (int i = 1; i < RANGES; i++) {
            int before = ports.get(i - 1);
            int port = ports.get(i);
            assertTrue(port - before > CoordinatorContext.PORTS, () -> before + " and " + port);
        }
    }

    /** A search in another process respects the reservation. */
    @Test
    void otherProcessesSeeAReservation() {
        Endpoint found = LocalMembers.free(1).getFirst();
        assertThrows(BindException.class, () -> {
            try (ServerSocket rival = new ServerSocket(found.port(), 1, InetAddress.ofLiteral(found.host()))) {
                assertEquals(0, rival.getLocalPort(), "the port of a reservation was bound");
            }
        });
    }
}
