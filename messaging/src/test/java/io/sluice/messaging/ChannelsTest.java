package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.ChannelUri;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.driver.ChannelSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(20)
class ChannelsTest {
    @ParameterizedTest
    @CsvSource({
        "1500,false,1408",
        "1500,true,1376",
        "9000,false,8896",
        "9000,true,8864",
        "65536,false,65440",
        "100000,false,65504",
        "68,false,256"
    })
    void theMtuLeavesRoomForHeadersAndATunnel(int interfaceMtu, boolean ipv6, int mtu) {
        assertEquals(mtu, Channels.mtuOverInterface(interfaceMtu, ipv6));
    }

    @Test
    void theLargestDatagramIsUsedOnThisHost() {
        Channels channels = new Channels();
        int largest = SocketLimits.probe()
                .fit(4 << 20, 2 << 20, ChannelSettings.MAX_MTU)
                .mtu();
        assertEquals(65_504, ChannelSettings.MAX_MTU);
        assertEquals(largest, channels.mtuTowards(new Endpoint("127.0.0.1", 1)));
        ChannelUri uri = ChannelUri.parse(channels.udpTo(new Endpoint("127.0.0.1", 40_100)));
        assertEquals("127.0.0.1:40100", uri.get("endpoint"));
        assertEquals("4m", uri.get("term-length"));
        assertEquals("500ms", uri.get("linger"));
        assertEquals("aeron:ipc?mtu=65504|term-length=4m|linger=500ms", channels.ipc());
    }

    @Test
    void theMtuNeverExceedsTheLongestMessage() {
        Channels channels =
                new Channels(new ChannelSettings().ipcTermLength(64 << 10).udpTermLength(64 << 10));
        assertEquals(8192, channels.mtuTowards(new Endpoint("127.0.0.1", 1)));
        assertEquals("aeron:ipc?mtu=8k|term-length=64k|linger=500ms", channels.ipc());
    }

    @Test
    void frameLengthsFollowFromMtuAndTerm() {
        assertEquals(65_472, Channels.maxUnfragmentedLength(ChannelSettings.MAX_MTU));
        assertEquals(512 << 10, Channels.maxFrameLength(4 << 20));
        assertEquals(16 << 20, Channels.maxFrameLength(1 << 30));
    }

    @Test
    void buffersAreCutToWhatTheKernelGrants() {
        SocketLimits ample = new SocketLimits(4 << 20, 4 << 20);
        SocketLimits.Fit fit = ample.fit(4 << 20, 2 << 20, 65_504);
        assertEquals(new SocketLimits.Fit(4 << 20, 4 << 20, 2 << 20, 65_504, null), fit);

        SocketLimits usual = new SocketLimits(212_992, 212_992);
        fit = usual.fit(4 << 20, 2 << 20, 65_504);
        assertEquals(212_992, fit.receiveBuffer());
        assertEquals(212_992, fit.window());
        assertEquals(65_504, fit.mtu());
        assertEquals(
                "the kernel grants socket buffers of 212992 (receive) and 212992 (send) bytes where 4194304 are wanted,"
                        + " so the receiver window is 212992 bytes and UDP may be slower; for full speed run: sysctl -w"
                        + " net.core.rmem_max=4194304 net.core.wmem_max=4194304",
                fit.advice());

        fit = new SocketLimits(50_001, 9_000).fit(4 << 20, 2 << 20, 65_504);
        assertEquals(50_001, fit.window());
        assertEquals(8_992, fit.mtu(), "a datagram fits the send buffer and is a multiple of 32");

        assertNull(usual.fit(200_000, 100_000, 8_192).advice());
    }

    @Test
    void refusesBadSettingsByName() {
        refused(new ChannelSettings().ipcTermLength(1000), "ipcTermLength=1000 is outside the allowed range 65536 to");
        refused(new ChannelSettings().udpTermLength(65_537), "udpTermLength=65537 is not a power of two");
        refused(new ChannelSettings().mtu(1_500), "mtu=1500 is not a multiple of 32 (allowed range 256 to 65504)");
        refused(new ChannelSettings().mtu(70_000), "mtu=70000 is outside the allowed range 256 to 65504");
        refused(new ChannelSettings().receiverWindow(0), "receiverWindow=0 is outside");
        refused(
                new ChannelSettings().socketBuffer(1 << 20),
                "socketBuffer=1048576 is outside the allowed range 2097152");
        refused(new ChannelSettings().lingerNs(-1), "lingerNs=-1 is outside");
    }

    private static void refused(ChannelSettings context, String beginning) {
        MessagingException refusal = assertThrows(MessagingException.class, () -> new Channels(context));
        assertTrue(refusal.getMessage().startsWith(beginning), refusal.getMessage());
    }

    @Test
    void sendingToPortZeroIsRefused() {
        assertThrows(MessagingException.class, () -> new Channels().udpTo(new Endpoint("127.0.0.1", 0)));
    }
}
