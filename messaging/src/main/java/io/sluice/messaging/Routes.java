package io.sluice.messaging;

import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.api.MessagingException;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Queries the operating system's routing table for the path to a peer, without sending a packet. Thread-safe.
 */
public final class Routes {
    /** MTU assumed where the operating system does not report one: Ethernet. */
    public static final int ETHERNET_MTU = 1_500;

    /** Property with the ports on which nodes listen, {@code FIRST-LAST}; by default the system chooses them. */
    static final String PORTS_PROPERTY = "sluice.ports";

    private static final Pattern PORTS = Pattern.compile("(\\d{1,5})-(\\d{1,5})");
    private static final int MAX_PORT = 65_535;

    private static final int ANY_PORT_WILL_DO = 9;

    /** First byte of the reserved IPv4 addresses, 240.0.0.0/4, which no host has. */
    private static final int FIRST_RESERVED = 240;

    private Routes() {}

    /**
     * The local source address of datagrams to a peer, which this node announces to that peer.
     *
     * @param remote endpoint of the peer.
     * @return the local address.
     * @throws MessagingException if the name is unknown or no route leads there.
     */
    public static InetAddress localAddressTowards(Endpoint remote) {
        InetSocketAddress address = remote.resolve();
        int port = address.getPort() == 0 ? ANY_PORT_WILL_DO : address.getPort();
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(new InetSocketAddress(address.getAddress(), port));
            return socket.getLocalAddress();
        } catch (SocketException e) {
            throw new MessagingException("no route leads to " + remote + ": " + e.getMessage(), e);
        }
    }

    /**
     * A UDP port that is free now, of those that the property {@value #PORTS_PROPERTY} allows; it may be taken by the
     * time it is used.
     *
     * @param local endpoint whose host is one of this machine's addresses.
     * @return the port.
     * @throws MessagingException if the host is not local, no port is free, or the property is no range.
     */
    public static int freePort(Endpoint local) {
        try (DatagramSocket reserved = reservePort(local)) {
            return reserved.getLocalPort();
        }
    }

    /**
     * Takes a free port, as {@link #freePort} finds it, until the socket is closed: until then no other node gets it.
     *
     * @param local endpoint whose host is one of this machine's addresses.
     * @return a socket that is bound to the port.
     * @throws MessagingException if the host is not local, no port is free, or the property is no range.
     */
    public static DatagramSocket reservePort(Endpoint local) {
        String text = Settings.text(PORTS_PROPERTY, "0-0");
        Matcher range = PORTS.matcher(text);
        int first = range.matches() ? Integer.parseInt(range.group(1)) : 1;
        int count = range.matches() ? Integer.parseInt(range.group(2)) - first + 1 : 0;
        if (count < 1 || first + count - 1 > MAX_PORT) {
            throw new MessagingException(
                    PORTS_PROPERTY + "=" + text + " is no range of ports; expected two, such as 40000-40999");
        }
        int start = ThreadLocalRandom.current().nextInt(count);
        SocketException reason = null;
        for (int i = 0; i < count; i++) {
            int port = first + (start + i) % count;
            try {
                return new DatagramSocket(local.withPort(port).resolve());
            } catch (SocketException e) {
                reason = e;
            }
        }
        throw new MessagingException(
                "no UDP port" + (first > 0 ? " of " + text : "") + " can be bound at " + local.host() + ": "
                        + reason.getMessage(),
                reason);
    }

    /**
     * Whether the peer has a loopback address or another address of this host, so that datagrams to it never leave this
     * host.
     *
     * @param remote endpoint of the peer.
     * @return true if the peer is this host.
     */
    public static boolean isThisHost(Endpoint remote) {
        InetAddress address = remote.resolve().getAddress();
        if (address.isLoopbackAddress() || address.isAnyLocalAddress()) {
            return true;
        }
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return false;
        }
    }

    /**
     * Whether an address can be that of one other host, by this host's own configuration. Multicast, broadcast,
     * wildcard and reserved addresses are not, nor are link-local ones, which do not identify their link.
     *
     * @param address address to check; nothing is resolved or sent.
     * @return true if datagrams may be sent to it.
     */
    public static boolean isOneHost(InetAddress address) {
        if (address.isAnyLocalAddress() || address.isMulticastAddress() || address.isLinkLocalAddress()) {
            return false;
        }
        int first = address.getAddress()[0] & 0xFF;
        boolean reserved = address instanceof Inet4Address && (first == 0 || first >= FIRST_RESERVED);
        return !reserved && !isBroadcast(address);
    }

    private static boolean isBroadcast(InetAddress address) {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(each -> each.getInterfaceAddresses().stream())
                    .anyMatch(each -> address.equals(each.getBroadcast()));
        } catch (SocketException e) {
            return false; // without a list of interfaces, the system still sends broadcasts only on request
        }
    }

    /**
     * The MTU of the interface that leads to a peer, in bytes, IP header included.
     *
     * @param remote endpoint of the peer.
     * @return the interface's MTU; {@link #ETHERNET_MTU} where it is unknown.
     */
    public static int interfaceMtuTowards(Endpoint remote) {
        try {
            NetworkInterface through = NetworkInterface.getByInetAddress(localAddressTowards(remote));
            int mtu = through == null ? 0 : through.getMTU();
            return mtu > 0 ? mtu : ETHERNET_MTU;
        } catch (SocketException e) {
            return ETHERNET_MTU;
        }
    }
}
