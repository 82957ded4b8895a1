package io.sluice.messaging;

import io.aeron.logbuffer.FrameDescriptor;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.driver.ChannelSettings;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;

/**
 * The largest socket buffers that the operating system grants, to which the lengths for Aeron are reduced.
 *
 * <p>A window must not exceed the socket's receive buffer, or datagrams are dropped before Aeron reads them; and one
 * datagram (the MTU) must fit both the window and the send buffer. On Linux the limits are {@code net.core.rmem_max}
 * and {@code net.core.wmem_max}.
 *
 * @param maxReceive bytes granted for receiving.
 * @param maxSend bytes granted for sending.
 */
record SocketLimits(int maxReceive, int maxSend) {

    /**
     * Reads the limits through a socket, because a container may hide the files under {@code /proc}.
     */
    static SocketLimits probe() {
        try (DatagramChannel channel = DatagramChannel.open()) {
            channel.setOption(StandardSocketOptions.SO_RCVBUF, Integer.MAX_VALUE);
            channel.setOption(StandardSocketOptions.SO_SNDBUF, Integer.MAX_VALUE);
            return new SocketLimits(
                    channel.getOption(StandardSocketOptions.SO_RCVBUF),
                    channel.getOption(StandardSocketOptions.SO_SNDBUF));
        } catch (IOException e) {
            throw new MessagingException("no UDP socket can be opened on this machine: " + e.getMessage(), e);
        }
    }

    /**
     * Reduces lengths to the limits.
     *
     * @param buffer wanted socket buffer in bytes, both ways.
     * @param window wanted receiver window in bytes.
     * @param mtu wanted MTU in bytes.
     */
    Fit fit(int buffer, int window, int mtu) {
        int receive = Math.min(buffer, maxReceive);
        int send = Math.min(buffer, maxSend);
        int fittedWindow = Math.min(window, receive);
        int fittedMtu = Math.min(mtu, Math.min(fittedWindow, send));
        fittedMtu -= fittedMtu % FrameDescriptor.FRAME_ALIGNMENT;
        String advice = receive == buffer && send == buffer ? null : advice(buffer, fittedWindow);
        return new Fit(receive, send, fittedWindow, fittedMtu, advice);
    }

    private String advice(int buffer, int fittedWindow) {
        return "the kernel grants socket buffers of " + maxReceive + " (receive) and " + maxSend
                + " (send) bytes where "
                + buffer + " are wanted, so the receiver window is " + fittedWindow
                + " bytes and UDP may be slower; for full speed run: sysctl -w net.core.rmem_max=" + buffer
                + " net.core.wmem_max=" + buffer;
    }

    /**
     * Reduces the lengths of the settings to the limits of this host.
     *
     * @param settings settings that are in range
     */
    static Fit fitOf(ChannelSettings settings) {
        int mtu = settings.mtu() == 0 ? ChannelSettings.MAX_MTU : settings.mtu();
        return probe().fit(settings.socketBuffer(), settings.receiverWindow(), mtu);
    }

    /**
     * Lengths in bytes that fit the limits; {@code advice} is one sentence for the user, or null if no length was
     * reduced.
     */
    record Fit(int receiveBuffer, int sendBuffer, int window, int mtu, String advice) {}
}
