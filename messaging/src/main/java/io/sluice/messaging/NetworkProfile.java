package io.sluice.messaging;

/**
 * The kinds of path between two nodes, by the cost of a frame; {@link Channels} tunes each. {@code docs/tuning.md}
 * explains the choices.
 */
public enum NetworkProfile {
    /** Processes of one host that share a log: no copy, no datagram. */
    IPC("shared memory"),

    /** UDP within the host: a datagram of any length costs the same, so datagrams are long. */
    LOOPBACK("UDP on this host"),

    /** Packets of up to 1,500 bytes, less in a tunnel: a frame is many datagrams. */
    ETHERNET("UDP over 1,500-byte packets"),

    /** Longer packets on the whole path: a frame is few datagrams. */
    JUMBO("UDP over jumbo packets");

    private final String words;

    NetworkProfile(String words) {
        this.words = words;
    }

    /**
     * The profile of a path between hosts.
     *
     * @param pathMtu longest packet that travels in one piece, in bytes with the IP header.
     * @return {@link #ETHERNET} or {@link #JUMBO}.
     */
    static NetworkProfile ofPath(int pathMtu) {
        return pathMtu > Routes.ETHERNET_MTU ? JUMBO : ETHERNET;
    }

    /** A description for messages. */
    public String words() {
        return words;
    }
}
