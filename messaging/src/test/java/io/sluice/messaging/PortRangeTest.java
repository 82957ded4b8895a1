package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.api.MessagingException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The ports that a node may choose, below those that systems assign. */
@Isolated("changes a property")
class PortRangeTest {
    private static final Endpoint LOOPBACK = new Endpoint("127.0.0.1", 0);

    @AfterEach
    void forget() {
        System.clearProperty(Routes.PORTS_PROPERTY);
    }

    private static DatagramSocket taken(int port) throws SocketException {
        return new DatagramSocket(new InetSocketAddress(LOOPBACK.host(), port));
    }

    @Test
    void theFreePortOfTheRangeIsFound() throws SocketException {
        System.setProperty(Routes.PORTS_PROPERTY, "19000-19002");
        try (DatagramSocket first = taken(19_000);
                DatagramSocket third = taken(19_002)) {
            assertTrue(first.isBound() && third.isBound());
            for (int i = 0; i < 10; i++) {
                assertEquals(19_001, Routes.freePort(LOOPBACK));
            }
        }
    }

    @Test
    void aReservedPortIsNotGivenAgain() {
        System.setProperty(Routes.PORTS_PROPERTY, "19004-19005");
        try (DatagramSocket reserved = Routes.reservePort(LOOPBACK)) {
            for (int i = 0; i < 10; i++) {
                assertNotEquals(reserved.getLocalPort(), Routes.freePort(LOOPBACK));
            }
        }
    }

    @Test
    void aRangeWithoutAFreePortIsNamed() throws SocketException {
        System.setProperty(Routes.PORTS_PROPERTY, "19003-19003");
        try (DatagramSocket only = taken(19_003)) {
            assertTrue(only.isBound());
            String message = assertThrows(MessagingException.class, () -> Routes.freePort(LOOPBACK))
                    .getMessage();
            assertTrue(message.startsWith("no UDP port of 19003-19003 can be bound at 127.0.0.1: "), message);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "40000", "40000-70000", "40999-40000"})
    void textThatIsNoRangeIsRefused(String text) {
        System.setProperty(Routes.PORTS_PROPERTY, text);
        assertEquals(
                "sluice.ports=" + text + " is no range of ports; expected two, such as 40000-40999",
                assertThrows(MessagingException.class, () -> Routes.freePort(LOOPBACK))
                        .getMessage());
    }
}
