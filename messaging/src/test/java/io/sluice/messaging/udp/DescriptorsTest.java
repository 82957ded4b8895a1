package io.sluice.messaging.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import org.agrona.CloseHelper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class DescriptorsTest {
    private static final int SOL_SOCKET = 1;
    private static final int SO_SNDBUF = 7;
    private static final int SO_RCVBUF = 8;
    private static final int EBADF = 9;

    private final LinuxSockets calls = new LinuxSockets();
    private final List<DatagramChannel> channels = new ArrayList<>();

    @AfterEach
    void close() {
        CloseHelper.closeAll(channels);
    }

    private DatagramChannel open() throws IOException {
        DatagramChannel channel = DatagramChannel.open();
        channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        channels.add(channel);
        return channel;
    }

    @Test
    void findsEachOfSeveralSocketsAndLeavesThemAsTheyWere() throws IOException {
        for (int i = 0; i < 20; i++) {
            open();
        }
        for (int i = 0; i < channels.size(); i++) {
            DatagramChannel channel = channels.get(i);
            channel.setOption(StandardSocketOptions.SO_RCVBUF, 20_000 + i);
            int before = channel.getOption(StandardSocketOptions.SO_SNDBUF);
            int descriptor = Descriptors.duplicateOf(channel, calls);
            assertEquals(2 * (20_000 + i), calls.option(descriptor, SOL_SOCKET, SO_RCVBUF));
            assertEquals(before, channel.getOption(StandardSocketOptions.SO_SNDBUF));
            calls.close(descriptor);
        }
    }

    @Test
    void theDuplicateOutlivesTheChannel() throws IOException {
        DatagramChannel channel = open();
        int descriptor = Descriptors.duplicateOf(channel, calls);
        channel.close();
        assertTrue(calls.option(descriptor, SOL_SOCKET, SO_SNDBUF) > 0);
        calls.close(descriptor);
        assertEquals(-EBADF, calls.option(descriptor, SOL_SOCKET, SO_SNDBUF));
    }

    /** For a moment another socket may have a buffer of the same length. */
    @Test
    void aSocketThatOnlyLooksAlikeIsNotTaken() throws IOException {
        FakeSockets deceiving = new FakeSockets();
        int[] looks = new int[1];
        DatagramChannel channel = open();
        deceiving.options = name -> {
            looks[0]++;
            try {
                return looks[0] == 1 ? 2 * channel.getOption(StandardSocketOptions.SO_SNDBUF) : -EBADF;
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        };
        assertEquals(Descriptors.NONE, Descriptors.duplicateOf(channel, deceiving));
        assertEquals(List.of(1_000), deceiving.closed);
        assertNotEquals(0, looks[0]);
    }
}
