package io.sluice.messaging;

import io.aeron.ChannelUri;
import io.aeron.ChannelUriStringBuilder;
import io.aeron.CommonContext;
import io.aeron.logbuffer.FrameDescriptor;
import io.aeron.logbuffer.LogBufferDescriptor;
import io.aeron.protocol.DataHeaderFlyweight;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.driver.ChannelSettings;
import io.sluice.messaging.flow.LinkFlowControls;
import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.agrona.SystemUtil;

/**
 * Builds Aeron channel URIs that are tuned for frames of 8 to 64 KiB.
 *
 * <p>The defaults and their arithmetic:
 *
 * <ul>
 *   <li><b>Term 4 MiB.</b> A log is three terms: 12 MiB stays in a last-level cache of 16 MiB or more, where 64 MiB
 *       terms run at half the speed. The longest message is an eighth of a term: 512 KiB.
 *   <li><b>MTU on this host 65,504.</b> The largest multiple of 32 that Aeron sends in one UDP datagram. A frame of up
 *       to 65,472 bytes, 64 KiB less one Aeron header and one alignment, travels unfragmented; the cost of UDP is per
 *       datagram.
 *   <li><b>MTU between hosts.</b> The path's MTU, from the interface and, for data, from a probe; minus 20 (IPv4) or 40
 *       (IPv6) for IP, 8 for UDP and 64 kept free for a tunnel, rounded down to a multiple of 32: 1,500 gives 1,408 and
 *       9,000 gives 8,896 over IPv4. A datagram above the path's MTU would be split by IP, and the loss of any part
 *       would lose all of it.
 *   <li><b>Window 2 MiB, socket buffers 4 MiB.</b> Throughput is at most window / round trip: 2 MiB fills 10 Gbit/s up
 *       to 1.6 ms. The buffer is twice the window, as the kernel charges its own overhead to it. Both shrink to what
 *       the kernel grants.
 * </ul>
 *
 * <p>All processes that share one media driver should use equal settings: Aeron refuses a second channel on one port
 * with other buffer lengths. Safe from any thread.
 */
public final class Channels {
    private static final int IPV4_HEADER = 20;
    private static final int IPV6_HEADER = 40;
    private static final int UDP_HEADER = 8;
    private static final int TUNNEL_RESERVE = 64;

    /** Maximum term length for control messages: enough for messages of 128 KiB, such as a plan of a thousand nodes. */
    private static final int MAX_CONTROL_TERM = 1 << 20;

    /** Length of the longest IPv4 packet. */
    private static final int MAX_IP_PACKET = 65_535;

    private final ChannelSettings context;
    private final SocketLimits.Fit fit;

    /** Path MTUs by host, in bytes. */
    private final Map<InetAddress, Integer> pathMtus = new ConcurrentHashMap<>();

    /**
     * Creates channels with the given settings.
     *
     * @param context settings, which are concluded here and must not change afterwards.
     */
    public Channels(ChannelSettings context) {
        context.check();
        this.context = context;
        this.fit = SocketLimits.fitOf(context);
    }

    /** Creates channels with the default settings. */
    public Channels() {
        this(new ChannelSettings());
    }

    /**
     * The shared-memory channel between processes of one host.
     *
     * @return the URI, for links and inboxes.
     */
    public String ipc() {
        return new ChannelUriStringBuilder()
                .media(CommonContext.IPC_MEDIA)
                .termLength(context.ipcTermLength())
                .mtu(Math.min(ChannelSettings.MAX_MTU, maxFrameLength(context.ipcTermLength())))
                .linger(context.lingerNs())
                .build();
    }

    /**
     * The channel on which a link sends to a peer by UDP.
     *
     * @param peer endpoint at which the peer receives; the port must be known.
     * @return the URI.
     * @throws MessagingException if the host is unknown, no route leads there, or the port is 0.
     */
    public String udpTo(Endpoint peer) {
        return udpTo(peer, mtuTowards(peer));
    }

    /**
     * The channel for bulk data to a peer by UDP: as {@link #udpTo}, after a probe of the path, which delays the first
     * link to a host. Not for peers that are not authenticated yet, which could cause many probes.
     *
     * @param peer endpoint at which the peer receives; the port must be known.
     * @return the URI.
     * @throws MessagingException also if an MTU was set that the path does not carry in one piece.
     */
    public String bulkUdpTo(Endpoint peer) {
        ChannelUri uri = ChannelUri.parse(udpTo(peer, probe(peer).mtu()));
        uri.put(LinkFlowControls.PACED, "true");
        return uri.toString();
    }

    /**
     * The channel for control messages to a peer by UDP: as {@link #udpTo}, with a shorter log, because a log takes
     * its whole memory at once, and a coordinator has one for each node.
     *
     * @param peer endpoint at which the peer receives; the port must be known.
     * @return the URI.
     * @throws MessagingException as {@link #udpTo} does.
     */
    public String controlUdpTo(Endpoint peer) {
        int term = controlTermLength();
        return udpTo(peer, Math.min(mtuTowards(peer), maxFrameLength(term)), term);
    }

    /**
     * The channel for a few small frames to a peer by UDP, such as requests for missing frames: as {@link #udpTo}, with
     * the shortest possible log.
     *
     * @param peer endpoint at which the peer receives; the port must be known.
     * @return the URI.
     * @throws MessagingException as {@link #udpTo} does.
     */
    public String requestUdpTo(Endpoint peer) {
        int term = LogBufferDescriptor.TERM_MIN_LENGTH;
        return udpTo(peer, Math.min(mtuTowards(peer), maxFrameLength(term)), term);
    }

    private String udpTo(Endpoint peer, int mtu) {
        return udpTo(peer, mtu, context.udpTermLength());
    }

    private String udpTo(Endpoint peer, int mtu, int term) {
        Settings.inRange("port of peer " + peer, peer.port(), 1, 65_535);
        return udp(peer).termLength(term).mtu(mtu).linger(context.lingerNs()).build();
    }

    /**
     * Determines the kind of path to a peer. Sends some datagrams to the discard port of the peer's host, unless that
     * is this host, and waits 50 ms for a router to refuse them. The result is kept for the next call.
     *
     * @param peer endpoint of the peer.
     * @return the path.
     * @throws MessagingException if the host is unknown, or an MTU was set that the path does not carry in one piece.
     */
    public NetworkPath probe(Endpoint peer) {
        if (Routes.isThisHost(peer)) {
            return new NetworkPath(NetworkProfile.LOOPBACK, MAX_IP_PACKET, mtuTowards(peer));
        }
        InetAddress address = peer.resolve().getAddress();
        int interfaceMtu = Routes.interfaceMtuTowards(peer);
        int pathMtu = pathMtus.computeIfAbsent(
                address, host -> PathMtu.probe(host, Math.min(interfaceMtu, MAX_IP_PACKET), headersTo(host)));
        int fitting = mtuOverInterface(pathMtu, isIpv6(address));
        if (context.mtu() != 0 && context.mtu() > pathMtu - headersTo(address)) {
            throw new MessagingException("mtu=" + context.mtu() + " does not fit the path to " + peer.host()
                    + ", which carries packets of " + pathMtu + " bytes in one piece: expected " + fitting
                    + " or less, or 0 to have it chosen");
        }
        int mtu = context.mtu() == 0 ? Math.min(limit(), fitting) : limit();
        return new NetworkPath(NetworkProfile.ofPath(pathMtu), pathMtu, mtu);
    }

    private int limit() {
        return Math.min(fit.mtu(), maxFrameLength(context.udpTermLength()));
    }

    private static boolean isIpv6(InetAddress address) {
        return address.getAddress().length > 4;
    }

    private static int headersTo(InetAddress address) {
        return (isIpv6(address) ? IPV6_HEADER : IPV4_HEADER) + UDP_HEADER;
    }

    /**
     * The channel on which an inbox receives by UDP.
     *
     * @param local local endpoint to bind; port 0 lets the operating system choose.
     * @return the URI.
     */
    public String udpAt(Endpoint local) {
        return udp(local).receiverWindowLength(fit.window()).build();
    }

    /**
     * The bytes by which senders may be ahead of an inbox that receives by UDP.
     *
     * @return bytes, as far as the operating system's socket buffers allow
     */
    public int receiverWindow() {
        return fit.window();
    }

    /**
     * The same channel with a short log, for links that keep waiting frames in an order of their own, because frames in
     * the log cannot be overtaken. The log takes a frame as long as it holds fewer than the given bytes that have not
     * been sent (by UDP) or read (in shared memory), so up to two frames of that length.
     *
     * @param channel channel from {@link #ipc} or {@link #udpTo}.
     * @param bytes bytes of the longest frame, as {@link Link#lengthInLog} counts them; values below the MTU or above
     *              half a term are adjusted.
     * @return the URI, for a link.
     */
    public static String shortened(String channel, int bytes) {
        ChannelUri uri = ChannelUri.parse(channel);
        int mtu = length(uri, CommonContext.MTU_LENGTH_PARAM_NAME);
        int term = length(uri, CommonContext.TERM_LENGTH_PARAM_NAME);
        int window = Math.clamp(bytes, mtu, term / 2);
        uri.put(CommonContext.PUBLICATION_WINDOW_LENGTH_PARAM_NAME, String.valueOf(window));
        return uri.toString();
    }

    private static int length(ChannelUri uri, String parameter) {
        return (int) SystemUtil.parseSize(parameter, uri.get(parameter));
    }

    private ChannelUriStringBuilder udp(Endpoint endpoint) {
        return new ChannelUriStringBuilder()
                .media(CommonContext.UDP_MEDIA)
                .endpoint(endpoint.toString())
                .socketRcvbufLength(fit.receiveBuffer())
                .socketSndbufLength(fit.sendBuffer());
    }

    /**
     * The MTU towards a peer by this host's own settings, without a probe of the path.
     *
     * @param peer endpoint of the peer.
     * @return bytes of one datagram's payload, Aeron's header included.
     */
    public int mtuTowards(Endpoint peer) {
        if (context.mtu() != 0 || Routes.isThisHost(peer)) {
            return limit();
        }
        boolean ipv6 = isIpv6(peer.resolve().getAddress());
        return Math.min(limit(), mtuOverInterface(Routes.interfaceMtuTowards(peer), ipv6));
    }

    /**
     * The length of the longest frame that a channel carries in one piece, without a copy outside the logs.
     *
     * @param mtu MTU of the channel in bytes.
     * @return bytes.
     */
    public static int maxUnfragmentedLength(int mtu) {
        return mtu - DataHeaderFlyweight.HEADER_LENGTH;
    }

    /**
     * The bytes that a frame occupies in the log of a channel; see {@link Link#lengthInLog}.
     *
     * @param length length of the frame in bytes.
     * @param mtu MTU of the channel in bytes.
     * @return bytes.
     */
    public static int lengthInLog(int length, int mtu) {
        return LogBufferDescriptor.computeFragmentedFrameLength(length, maxUnfragmentedLength(mtu));
    }

    /**
     * The length of the longest frame that a channel carries.
     *
     * @param termLength length of the channel in bytes.
     * @return bytes: an eighth of a term, at most 16 MiB.
     */
    public static int maxFrameLength(int termLength) {
        return FrameDescriptor.computeMaxMessageLength(termLength);
    }

    /**
     * The MTU of a channel over an interface or path with a given MTU; see the arithmetic above.
     *
     * @param interfaceMtu length of the longest packet in bytes.
     * @param ipv6 whether packets are IPv6.
     * @return bytes of one datagram's payload, Aeron's header included.
     */
    public static int mtuOverInterface(int interfaceMtu, boolean ipv6) {
        int payload = interfaceMtu - (ipv6 ? IPV6_HEADER : IPV4_HEADER) - UDP_HEADER - TUNNEL_RESERVE;
        int aligned = payload - payload % FrameDescriptor.FRAME_ALIGNMENT;
        return Math.clamp(aligned, ChannelSettings.MIN_MTU, ChannelSettings.MAX_MTU);
    }

    /** Term length of the logs of control messages over UDP: that of UDP logs, at most 1 MiB. */
    public int controlTermLength() {
        return Math.min(context.udpTermLength(), MAX_CONTROL_TERM);
    }

    /** The settings of these channels. */
    public ChannelSettings context() {
        return context;
    }
}
