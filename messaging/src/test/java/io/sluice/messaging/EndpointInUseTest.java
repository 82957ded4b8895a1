package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.api.MessagingException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class EndpointInUseTest {
    private static final FrameHandler IGNORE = (buffer, offset, length, template, session) -> Action.CONTINUE;

    private Rig rig;

    @BeforeEach
    void launch() {
        rig = new Rig(Rig.shortTerms());
    }

    @AfterEach
    void close() {
        rig.close();
    }

    private static Inbox open(Transport transport, String endpoint, int stream) {
        return transport.openUdpInbox("server 0", Endpoint.parse(endpoint), stream, Frames.validator(), IGNORE);
    }

    private void assertInUse(String endpoint) {
        EndpointInUseException refusal =
                assertThrows(EndpointInUseException.class, () -> open(rig.sender, endpoint, Rig.STREAM));
        assertEquals(
                "inbox server 0 cannot receive on " + endpoint + ": another process already does; choose another port",
                refusal.getMessage());
    }

    @Test
    void aPortOfAnotherProgramIsRefused() throws Exception {
        try (DatagramSocket taken = new DatagramSocket(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0))) {
            assertInUse("127.0.0.1:" + taken.getLocalPort());
        }
    }

    @Test
    void aPortOfAnotherProcessAtTheSameDriverIsRefusedUntilItEnds() {
        Inbox first = open(rig.receiver, "127.0.0.1:0", Rig.STREAM);
        int port = first.endpoint().port();
        assertNotEquals(0, port);
        String endpoint = "127.0.0.1:" + port;
        first.close();

        Inbox second = open(rig.receiver, endpoint, Rig.STREAM);
        open(rig.receiver, endpoint, Rig.STREAM + 1);
        assertInUse(endpoint);
        assertEquals(port, second.endpoint().port());
        rig.receiver.close();

        open(rig.sender, endpoint, Rig.STREAM).close();
    }

    @Tag("slow")
    @Test
    void aKilledProcessGivesItsPortBackAtOnce() throws Exception {
        Inbox probe = open(rig.receiver, "127.0.0.1:0", Rig.STREAM);
        Endpoint endpoint = probe.endpoint();
        probe.close();
        try (ChildProcess child = ChildProcess.inbox(rig.driver.directory(), endpoint)) {
            assertInUse(endpoint.toString());
            child.kill();
            assertEquals(
                    endpoint, open(rig.sender, endpoint.toString(), Rig.STREAM).endpoint());
        }
    }

    @Test
    void anAddressOfAnotherMachineIsRefused() {
        MessagingException refusal =
                assertThrows(MessagingException.class, () -> open(rig.sender, "192.0.2.1:40123", Rig.STREAM));
        assertEquals(
                "inbox server 0 cannot receive on 192.0.2.1:40123: the address is not one of this machine's",
                refusal.getMessage());
    }

    @Test
    void aBadChannelIsRefusedWithTheDriversReason() {
        MessagingException refusal = assertThrows(
                MessagingException.class, () -> rig.sender.openLink("server 1", "aeron:udp?endpoint=nowhere", 1));
        assertTrue(
                refusal.getMessage()
                        .startsWith("link server 1 was refused by the media driver for aeron:udp?endpoint=nowhere: "),
                refusal.getMessage());
    }
}
