package io.sluice.messaging;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import jdk.net.ExtendedSocketOptions;

/**
 * Finds the longest packet that reaches a peer without fragmentation (RFC 1191, RFC 8201). It sends datagrams that must
 * not be fragmented. A router drops a datagram that is too long for its next link and reports this by ICMP; the kernel
 * then refuses further datagrams of that length.
 *
 * <p>The datagrams are zeros sent to the discard port. The probe needs no answer and ignores answers. It cannot detect
 * a router that drops silently, or whose ICMP message a firewall drops; the result is then the interface's MTU.
 *
 * <p>A call takes up to {@link #PATIENCE_NS} for each link on the path with a shorter MTU. Safe from any thread.
 */
final class PathMtu {
    /**
     * How long to wait for a router's ICMP message: a few round trips of a network that is fast enough for training.
     */
    static final long PATIENCE_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int DISCARD_PORT = 9;

    /** Length of the packet that every IPv4 host must accept (RFC 791); for IPv6 it is greater. */
    private static final int LEAST = 576;

    /** Length of a payload that every path carries, in bytes. */
    private static final int SHORT = 100;

    private PathMtu() {}

    /**
     * Probes the path to a peer.
     *
     * @param peer address of a peer on another host.
     * @param interfaceMtu MTU of the interface that leads there, in bytes with the IP header.
     * @param headers bytes of the IP and the UDP header.
     * @return bytes of the longest packet with its headers, at most {@code interfaceMtu}.
     */
    static int probe(InetAddress peer, int interfaceMtu, int headers) {
        try (DatagramChannel channel = DatagramChannel.open()) {
            channel.setOption(ExtendedSocketOptions.IP_DONTFRAGMENT, true);
            channel.connect(new InetSocketAddress(peer, DISCARD_PORT));
            int mtu = interfaceMtu;
            while (mtu > LEAST && !staysSendable(channel, mtu - headers)) {
                mtu = longestSendable(channel, mtu, headers);
            }
            return mtu;
        } catch (IOException | UnsupportedOperationException e) {
            return interfaceMtu; // used if the option is not supported or no socket can be opened
        }
    }

    /** Whether the kernel still sends that length when a router has had time to object. */
    private static boolean staysSendable(DatagramChannel channel, int payload) throws IOException {
        ByteBuffer datagram = ByteBuffer.allocateDirect(payload);
        long start = System.nanoTime();
        while (System.nanoTime() - start < PATIENCE_NS) {
            if (!isSendable(channel, datagram)) {
                return false;
            }
            LockSupport.parkNanos(LOOK_NS);
        }
        return isSendable(channel, datagram);
    }

    /** The kernel's current path MTU, between {@link #LEAST} and one less than {@code tooLong}. */
    private static int longestSendable(DatagramChannel channel, int tooLong, int headers) throws IOException {
        int low = LEAST;
        int high = tooLong;
        while (high - low > 1) {
            int middle = (low + high) >>> 1;
            if (isSendable(channel, ByteBuffer.allocateDirect(middle - headers))) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /**
     * Whether the kernel sends a datagram of that length. A router's error about an earlier datagram fails the next
     * datagram of any length once, so only a second failure counts. Java has no exception for EMSGSIZE, and its message
     * depends on the language of the process, so a length counts as too long if the kernel refuses it but sends a short
     * datagram.
     *
     * @throws IOException if nothing can be sent, of any length.
     */
    static boolean isSendable(DatagramChannel channel, ByteBuffer datagram) throws IOException {
        IOException refused = refusal(channel, datagram);
        if (refused == null) {
            return true;
        }
        if (refusal(channel, ByteBuffer.allocateDirect(SHORT)) != null) {
            throw refused;
        }
        return false;
    }

    /** The error with which the kernel refuses a datagram twice; null if it sends the datagram. */
    private static IOException refusal(DatagramChannel channel, ByteBuffer datagram) throws IOException {
        IOException first = null;
        while (true) {
            try {
                channel.write(datagram.clear());
                return null;
            } catch (PortUnreachableException e) {
                // The peer's host has refused an earlier datagram, which therefore arrived.
            } catch (ClosedChannelException e) {
                throw e;
            } catch (IOException e) {
                if (first != null) {
                    return e;
                }
                first = e;
            }
        }
    }
}
